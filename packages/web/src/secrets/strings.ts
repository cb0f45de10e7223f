// Texts of the pages of secrets, vaults and connections.

export const strings = {
  privateHost: (host: string) =>
    `${host} is a private address. Apps reach it only if the server was started with ALLOW_PRIVATE_HOSTS=${host}.`,
  redirectAddress: 'Redirect URL',
  redirectHelp: 'Register this URL in the settings of the OAuth app at the service.',
  copyRedirect: 'Copy redirect URL',
} as const
