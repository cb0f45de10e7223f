// Whether a value is the URL of a private address, which apps may only reach when the operator allows it. Pure.

const privateHost =
  /^(localhost|.*\.(local|internal|lan)|127\.\d.*|10(\.\d+){3}|192\.168\.\d.*|169\.254\.\d.*|172\.(1[6-9]|2\d|3[01])\.\d.*|\[(::1\]|f[cde].*))$/

/** The host to allow; undefined for everything else. */
export const privateHostOf = (value: string): string | undefined => {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return undefined
  const { hostname } = new URL(value)
  return privateHost.test(hostname) ? hostname : undefined
}
