// The door at which programs register themselves. Exchanging a code is one of the grants of `oauth.token`.
import { OauthClient, RegisterOauthClient } from '@millrace/contract/oauth-apps'
import { operation } from '#platform/core/operation.ts'
import { registerClient } from './service.ts'

export const oauthAppOperations = [
  operation({
    name: 'oauth.register',
    door: 'POST /oauth/register',
    summary: 'RFC 7591: register a program that will ask people to sign in',
    scope: 'public',
    form: true,
    bare: true,
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
