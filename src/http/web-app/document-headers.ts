/** Options of a document's security headers. */
export interface DocumentOptions {
  /** Allows the style element that the app inserts; each reply has a new nonce. */
  nonce?: string
  /** `no-referrer` for pages whose address is a secret. */
  referrer?: 'same-origin' | 'no-referrer'
  /** Whether the page keeps its opener, which must notice when a sign-in popup closes. */
  opener?: boolean
}

/**
 * Headers of an HTML document: it loads nothing from other origins, runs no inline script, turns
 * no text into markup (Trusted Types), and other pages can neither frame it nor keep a reference to
 * it.
 */
export function documentHeaders({
  nonce,
  referrer = 'same-origin',
  opener = false,
}: DocumentOptions = {}): Record<string, string> {
  return {
    ...RESOURCE_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': createContentSecurityPolicy(nonce),
    'referrer-policy': referrer,
    'cross-origin-opener-policy': opener ? 'unsafe-none' : 'same-origin',
    'permissions-policy': NO_PERMISSIONS,
  }
}

/** Headers of every file that a document loads, beyond those of every reply. */
export const RESOURCE_HEADERS = { 'cross-origin-resource-policy': 'same-origin' } as const

/** Headers of the service worker: its scope is the whole origin, and it connects to no other. */
export const workerHeaders = {
  'service-worker-allowed': '/',
  'content-security-policy': "default-src 'none'; connect-src 'self'",
}

const createContentSecurityPolicy = (nonce: string | undefined) =>
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
    // The app's policy creates the one URL of its worker (web/src/data/offline/service-worker.ts).
    nonce === undefined ? "trusted-types 'none'" : 'trusted-types docket-worker',
  ].join('; ')

const NO_PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ')
