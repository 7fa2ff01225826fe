// IP addresses as text.
import ipaddr from 'ipaddr.js';

/** Whether an address is anybody's on the Internet. Of IPv6 only 2000::/3 was ever given out (RFC 4291 2.4); `::7f00:1` is loopback in disguise. */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.toByteArray()[0]! >> 5 === 0b001);
}

export const isAddress = (text: string): boolean => ipaddr.isValid(text) && (text.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(text));

/** Whether `text` is an address, or a block of them: `10.0.0.0/8`. */
export const isBlock = (text: string): boolean => isAddress(text) || ipaddr.isValidCIDR(text);

/** A test for addresses that lie in one of these blocks. */
export function inBlocks(blocks: readonly string[]): (address: string) => boolean {
  const parsed = blocks.map((block) => ipaddr.parseCIDR(block));
  return (address) => {
    const one = ipaddr.process(address);
    return parsed.some(([net, bits]) => net.kind() === one.kind() && one.match(net, bits));
  };
}

/** An address, or the net of 64 bits that one household has of IPv6. */
export function householdOf(address: string): string {
  if (!isAddress(address)) return address;
  const one = ipaddr.process(address);
  return one.kind() === 'ipv4' ? one.toString() : `${Buffer.from(one.toByteArray().slice(0, 8)).toString('hex')}/64`;
}
