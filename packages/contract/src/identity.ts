// Schemas of sign-in: links, codes, second factors, sessions.
import Type, { type Static } from 'typebox'
import { StringEnum, Timestamp } from './common.ts'
import { OrgRelation, Team, TeamView, User } from './teams.ts'

const Email = Type.String({ minLength: 1, maxLength: 320 })
const Code = Type.String({
  minLength: 1,
  maxLength: 32,
  description: 'Six digits, or a recovery code of an authenticator',
})
const Token = Type.String({ minLength: 1, maxLength: 128 })
const RedirectTo = Type.String({ maxLength: 2048, description: 'A URL or path of this app' })

export const SendLink = Type.Object({ email: Email, redirect_to: Type.Optional(RedirectTo) })
export type SendLink = Static<typeof SendLink>

export const LinkSent = Type.Object({ sent: Type.Boolean() })

export const VerifyLink = Type.Object({
  token: Type.Optional(Token),
  email: Type.Optional(Email),
  code: Type.Optional(Code),
})
export type VerifyLink = Static<typeof VerifyLink>

export const VerifyOtp = Type.Object({ challenge_token: Token, code: Code })

export const AuthResponse = Type.Object({
  user: Type.Optional(User),
  session_id: Type.String({ description: 'Empty while a one-time code is still required' }),
  is_new: Type.Optional(Type.Boolean()),
  otp_required: Type.Optional(Type.Boolean()),
  otp_method: Type.Optional(StringEnum(['email', 'totp'])),
  challenge_token: Type.Optional(Type.String()),
  redirect_to: Type.Optional(Type.String()),
  provider: Type.Optional(Type.String()),
})
export type AuthResponse = Static<typeof AuthResponse>

export const Me = Type.Object({
  user: User,
  team: Type.Optional(Team),
  org: Type.Optional(OrgRelation),
  team_view: Type.Optional(TeamView),
})
export type Me = Static<typeof Me>

export const AuthSession = Type.Object({
  id: Type.String(),
  created_at: Timestamp,
  expires_at: Timestamp,
  ip: Type.String(),
  city: Type.String(),
  country: Type.String(),
  country_code: Type.String(),
  region: Type.String(),
  os: Type.String(),
  browser: Type.String(),
  browser_version: Type.String(),
  auth_method: Type.String(),
  scopes: Type.Optional(Type.Array(Type.String())),
  current: Type.Boolean(),
})
export type AuthSession = Static<typeof AuthSession>

export const CreateSessionToken = Type.Object({
  expires_in: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400, description: 'Seconds; default 900' })),
  scopes: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 100 })),
})
export type CreateSessionToken = Static<typeof CreateSessionToken>

export const SessionToken = Type.Object({
  token: Type.String(),
  expires_at: Timestamp,
  scopes: Type.Optional(Type.Array(Type.String())),
})
export type SessionToken = Static<typeof SessionToken>

export const TotpEnrolment = Type.Object({
  secret: Type.String({ description: 'Base32, for entering into an authenticator' }),
  otpauth_uri: Type.String({ description: 'The same as a URI for a QR code' }),
})

export const TotpCode = Type.Object({ code: Code })

const recoveryCodes = {
  recovery_codes: Type.Array(Type.String(), {
    description: 'Returned only once; each replaces one authenticator code',
  }),
}
export const TotpConfirmed = Type.Object({ success: Type.Boolean(), ...recoveryCodes })
export const RecoveryCodes = Type.Object(recoveryCodes)

export const OidcStartQuery = Type.Object({ redirect_to: Type.Optional(RedirectTo) })

/** Additional parameters of the issuer are checked by the OpenID client; only the fields read here are declared. */
export const OidcCallbackQuery = Type.Object({
  state: Type.Optional(Type.String({ maxLength: 512 })),
  code: Type.Optional(Type.String({ maxLength: 4096 })),
  error: Type.Optional(Type.String({ maxLength: 512 })),
})

export const Redirect = Type.Object({})

export const PrintedMails = Type.Array(
  Type.Object({ to: Type.String(), subject: Type.String(), text: Type.String(), sent_at: Timestamp }),
)
