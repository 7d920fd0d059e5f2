/** The twelve hues of tags and chart series, each with the colour that the API stores for it. */
export const HUES = {
  25: '#b75b55',
  45: '#b36139',
  70: '#a76c12',
  95: '#907904',
  130: '#628835',
  163: '#169065',
  195: '#068c8c',
  225: '#0a87aa',
  255: '#467cc0',
  282: '#7070bf',
  310: '#9064af',
  345: '#ab5b8a',
} as const

export type Hue = keyof typeof HUES

const ALL_HUES = Object.keys(HUES).map(Number) as Hue[]

/** The hue nearest to a `#rrggbb` colour; grey has no hue and gets blue. */
export function nearestHue(color: string): Hue {
  const { hue, chroma } = oklch(color)
  if (!(chroma > 0.02)) return 255
  const distance = (one: Hue) => Math.min(Math.abs(one - hue), 360 - Math.abs(one - hue))
  return ALL_HUES.reduce((best, one) => (distance(one) < distance(best) ? one : best))
}

/** Hue in degrees and chroma of a colour in OKLCH, with Björn Ottosson's matrices. */
function oklch(color: string): { hue: number; chroma: number } {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => toLinear(color.slice(at, at + 2)))
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const c = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  const hue = (Math.atan2(c, a) * 180) / Math.PI
  return { hue: (hue + 360) % 360, chroma: Math.hypot(a, c) }
}

function toLinear(hex: string): number {
  const value = Number.parseInt(hex, 16) / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}
