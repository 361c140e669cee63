import { BlockList, isIP } from 'node:net'

/** What the names stand for, as Fastify's own `trustProxy` understands them. */
const ranges: Record<string, readonly string[]> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * The entries of TRUSTED_PROXIES, separated by commas: addresses, ranges such as `10.0.0.0/8`, or a name from above.
 * A proxy on this machine is always among them. Undefined when an entry is none of these.
 */
export function readTrustedProxies(text: string): string[] | undefined {
  const entries = text.split(',').map((entry) => entry.trim())
  const given = entries.filter((entry) => entry !== '' && entry !== 'loopback')
  return given.every((entry) => Object.hasOwn(ranges, entry) || isRange(entry))
    ? ['loopback', ...given]
    : undefined
}

/** Whether an address belongs to one of the entries. */
export function trusts(entries: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const range of entries.flatMap((entry) => ranges[entry] ?? [entry])) {
    const [address = '', bits] = range.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const version = isIP(address ?? '')
    return version !== 0 && list.check(address ?? '', version === 6 ? 'ipv6' : 'ipv4')
  }
}

function isRange(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32))
}
