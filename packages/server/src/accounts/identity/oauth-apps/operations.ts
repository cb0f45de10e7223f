// Dynamic registration of OAuth clients. The exchange of a code is one of the grants of `oauth.token`.
import { OauthClient, RegisterOauthClient } from '@millrace/contract/oauth-apps'
import { operation } from '#platform/core/operation.ts'
import { registerClient } from './service.ts'

export const oauthAppOperations = [
  operation({
    name: 'oauth.register',
    route: 'POST /oauth/register',
    summary: 'RFC 7591: register an OAuth client',
    scope: 'public',
    form: true,
    bare: true,
    created: true,
    replay: 'never',
    body: RegisterOauthClient,
    reply: OauthClient,
    fails: ['invalid_redirect_uri', 'slow_down'],
    run: (ctx, { body }, wire) => {
      wire.header('cache-control', 'no-store')
      return registerClient(ctx, body)
    },
  }),
]
