// Addresses of stored files in content that other people and models write. Pure.

const mediaPath = /^\/media\/[^/]+\/[^/]+$/

/** True for an address of the media route, on any server. */
export const isMediaAddress = (address: string, origin: string): boolean =>
  URL.canParse(address, origin) && mediaPath.test(new URL(address, origin).pathname)

/** Null unless the address is a stored file of this server or contains the picture itself. */
export const pictureAddress = (address: string | undefined, origin: string): string | null => {
  if (address === undefined || address === '' || !URL.canParse(address, origin)) return null
  const { protocol, origin: from, pathname, href } = new URL(address, origin)
  const isShown = protocol === 'data:' ? href.startsWith('data:image/') : from === origin && mediaPath.test(pathname)
  return isShown ? href : null
}

export const nameInAddress = (address: string): string => {
  const name = address.split('?')[0]?.split('/').at(-1) ?? address
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
