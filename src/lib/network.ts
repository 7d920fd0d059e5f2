/**
 * What is counted as one client: an IPv4 address as it is (mapped ones too), an IPv6 address cut to its
 * first 64 bits.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1]) return mapped[1]
  if (!address.includes(':')) return address
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? []
  const front = head ? head.split(':') : []
  const back = tail ? tail.split(':') : []
  const gap = tail === undefined ? 0 : 8 - front.length - back.length
  const groups = [...front, ...Array<string>(Math.max(0, gap)).fill('0'), ...back]
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
