const SCRIPT_URL = '/app/sw.js'

interface ScriptUrlPolicy {
  createScriptURL(url: string): string
}

/** A page may create its Trusted Types policy only once. */
let policy: ScriptUrlPolicy | undefined
let registration: Promise<void> | undefined

declare global {
  interface Window {
    /** Trusted Types, which TypeScript does not declare. */
    trustedTypes?: {
      createPolicy(name: string, rules: { createScriptURL: () => string }): ScriptUrlPolicy
    }
  }
}

/**
 * Registers the service worker, which caches the page and its files, so that the app opens without
 * a network. Without https a browser has no service workers, and the app needs the network. Rejects
 * if the browser refuses it, e.g. because it blocks all storage; the next call tries again.
 */
export function registerServiceWorker(): Promise<void> {
  registration ??= install().catch((error) => {
    registration = undefined
    throw error
  })
  return registration
}

async function install(): Promise<void> {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (!container) return
  // The Content-Security-Policy allows only this policy, which creates only this one URL.
  policy ??= window.trustedTypes?.createPolicy('docket-worker', {
    createScriptURL: () => SCRIPT_URL,
  })
  await container.register(policy?.createScriptURL(SCRIPT_URL) ?? SCRIPT_URL, { scope: '/' })
  const { active } = await container.ready
  const paths = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
  active?.postMessage([...new Set(paths)])
}
