const SCRIPT_URL = '/app/sw.js'

/** A page may create its Trusted Types policy only once. */
let isRegistered = false

declare global {
  interface Window {
    /** Trusted Types, which TypeScript does not declare. */
    trustedTypes?: {
      createPolicy(
        name: string,
        rules: { createScriptURL: () => string },
      ): { createScriptURL(url: string): string }
    }
  }
}

/**
 * Registers the service worker, which caches the page and its files, so that the app opens without
 * a network. Without https a browser has no service workers, and the app needs the network.
 */
export function registerServiceWorker(): void {
  if (!isRegistered) void install()
  isRegistered = true
}

async function install(): Promise<void> {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (!container) return
  // The Content-Security-Policy allows only this policy, which creates only this one URL.
  const policy = window.trustedTypes?.createPolicy('docket-worker', {
    createScriptURL: () => SCRIPT_URL,
  })
  await container.register(policy?.createScriptURL(SCRIPT_URL) ?? SCRIPT_URL, { scope: '/' })
  const { active } = await container.ready
  const paths = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
  active?.postMessage([...new Set(paths)])
}
