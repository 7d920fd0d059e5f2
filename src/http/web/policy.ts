/** What a document may do beyond the usual. */
export interface Freedom {
  /** Of the one style element that the page adds by itself; each reply has its own. */
  nonce?: string
  /** `no-referrer` for pages whose address is a secret. */
  referrer?: 'same-origin' | 'no-referrer'
  /** Whether the page keeps its opener: sign-in is opened as a popup by those who need to know its end. */
  opener?: boolean
}

/**
 * Headers of a document for people: nothing is loaded from elsewhere, nothing written into a page is run,
 * no text becomes markup, and no other page frames it or holds on to it.
 */
export function documentHeaders(
  baseUrl: string,
  { nonce, referrer = 'same-origin', opener = false }: Freedom = {},
): Record<string, string> {
  return {
    ...resourceHeaders(baseUrl),
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyOf(nonce),
    'referrer-policy': referrer,
    'cross-origin-opener-policy': opener ? 'unsafe-none' : 'same-origin',
    'permissions-policy': NOTHING,
  }
}

/** Headers of everything that a document loads. */
export const resourceHeaders = (baseUrl: string): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  ...(baseUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
})

/** Headers of the script of the worker: it is for the whole origin, and asks nobody else. */
export const workerHeaders = {
  'service-worker-allowed': '/',
  'content-security-policy': "default-src 'none'; connect-src 'self'",
}

const policyOf = (nonce: string | undefined) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    nonce === undefined ? "style-src 'self'" : `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The app registers its worker, at one address (web/src/data/worker.ts); other pages have none.
    nonce === undefined ? "trusted-types 'none'" : 'trusted-types docket-worker',
  ].join('; ')

const NOTHING = [
  ...['accelerometer', 'autoplay', 'browsing-topics', 'camera', 'display-capture', 'geolocation'],
  ...['gyroscope', 'hid', 'idle-detection', 'magnetometer', 'microphone', 'midi', 'payment'],
  ...['serial', 'usb', 'xr-spatial-tracking'],
]
  .map((feature) => `${feature}=()`)
  .join(', ')
