// The name under which requests without a credential are counted: the network of the client's address. Pure.

/** One IPv6 subscriber usually has a whole /64, so single addresses would not limit anything. */
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
