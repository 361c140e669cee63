import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** What may be reached: the whole internet, and what FETCH_ALLOW adds. */
export type Reach = {
  /** Whether anybody on the internet could ask it, too. */
  isPublic: boolean
  /** Whether FETCH_ALLOW names it. */
  isAllowed: boolean
}

/** The part of IPv6 that is given out to networks of the internet. */
const globalUnicast = networkOf('2000::/3')
/** Public by its number, but each machine in that cloud reaches what its provider tells it there. */
const cloudOwn = networkOf('168.63.129.16/32')

/**
 * The entries of FETCH_ALLOW, separated by commas: addresses, or networks such as `192.168.1.0/24` or `::1/128`.
 * Undefined when an entry is neither.
 */
export function readNetworks(text: string): string[] | undefined {
  const entries = text.split(',').flatMap((entry) => entry.trim() || [])
  return entries.every(isNetwork) ? entries : undefined
}

/**
 * Makes what judges an IP address, as text. `allow` holds networks as `readNetworks` gives them. This machine's own addresses,
 * and IPv6 networks that it is in, are not public: firewalls let in from there what they keep from others.
 */
export function reachOf(allow: readonly string[], ownNetworks = readOwnNetworks) {
  const allowed = allow.map(networkOf)
  return (text: string): Reach => {
    if (isIP(text) === 0) return { isPublic: false, isAllowed: false }
    const address = plain(ipaddr.parse(text))
    const own = ownNetworks().map(networkOf)
    return {
      isPublic: isPublic(address) && ![address, ...innerOf(address)].some((each) => isIn(own, each)),
      isAllowed: isIn(allowed, address),
    }
  }
}

function readOwnNetworks(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.map(({ address, cidr, family }) => (family === 'IPv6' && cidr !== null ? cidr : address))
}

function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && !isIn([cloudOwn], address)
  const inner = innerOf(address)
  if (!inner.every(isPublic)) return false
  return isTranslated(address) || (address.range() === 'unicast' && isIn([globalUnicast], address))
}

/** Whether a network passes on what is sent there to the IPv4 addresses inside, and nowhere else. */
function isTranslated(address: ipaddr.IPv6): boolean {
  return innerOf(address).length > 0 && !isIntraSite(address)
}

/** The IPv4 addresses that an IPv6 address stands for, or leads through; mostly none. */
function innerOf(address: Address): ipaddr.IPv4[] {
  if (address instanceof ipaddr.IPv4) return []
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address.parts
  const last = ipv4(g, h)
  const startsWithZeros = (a | b | c | d) === 0
  // ::a.b.c.d, ::ffff:a.b.c.d and ::ffff:0:a.b.c.d
  if (startsWithZeros && e === 0 && (f === 0 || f === 0xffff)) return [last]
  if (startsWithZeros && e === 0xffff && f === 0) return [last]
  // NAT64, by everybody's prefix and in a network's own.
  if (a === 0x64 && b === 0xff9b && c <= 1 && (d | e | f) === 0) return [last]
  if (a === 0x2002) return [ipv4(b, c)]
  // Teredo: the server, and the client turned over.
  if (a === 0x2001 && b === 0) return [ipv4(c, d), ipv4(g ^ 0xffff, h ^ 0xffff)]
  return isIntraSite(address) ? [last] : []
}

/** ISATAP: the last 32 bits are an address of the network that the others name. */
function isIntraSite({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe
}

const ipv4 = (high: number, low: number) => new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff])

/** An IPv4 address written as an IPv6 one is that IPv4 address to the system. */
function plain(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

function isIn(networks: readonly Network[], address: Address): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

function networkOf(text: string): Network {
  const [address = '', bits] = text.split('/')
  const network = ipaddr.parse(address)
  return [network, bits === undefined ? network.toByteArray().length * 8 : Number(bits)]
}

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32))
}
