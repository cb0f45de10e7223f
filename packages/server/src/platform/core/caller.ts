// Who is counted when nobody has signed in: the network that the caller's address belongs to. Pure.

/** An IPv6 subscriber holds a whole /64; counting single addresses would count nothing. */
export const callerOfAddress = (ip: string): string => {
  if (!ip.includes(':')) return `ip:${ip}`
  const [head = '', tail] = ip.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups =
    tail === undefined
      ? before
      : [...before, ...Array(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after]
  return `ip:${groups.slice(0, 4).join(':')}::/64`
}
