/** Adds `crypto.randomUUID` from random bytes (RFC 9562): without https browsers lack it. */
export function ensureRandomUUID(): void {
  crypto.randomUUID ??= () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const at = (from: number, to: number) => hex.slice(from, to)
    return `${at(0, 8)}-${at(8, 12)}-${at(12, 16)}-${at(16, 20)}-${at(20, 32)}` as const
  }
}
