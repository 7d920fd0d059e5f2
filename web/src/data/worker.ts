const SCRIPT = '/app/sw.js'

/** A page makes its policy once. */
let begun = false

declare global {
  interface Window {
    /** The browser's own guard against scripts from text; TypeScript does not know it. */
    trustedTypes?: {
      createPolicy(
        name: string,
        rules: { createScriptURL: () => string },
      ): { createScriptURL(url: string): string }
    }
  }
}

/**
 * Lets the app open without a network: the worker keeps the page and its files. Where a browser has none
 * (without https) the app opens with the network alone.
 */
export function beginWorker(): void {
  if (!begun) void install()
  begun = true
}

async function install(): Promise<void> {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (!workers) return
  // The one policy that ours allows (http/web/policy), and the one address that it gives.
  const policy = window.trustedTypes?.createPolicy('docket-worker', {
    createScriptURL: () => SCRIPT,
  })
  await workers.register(policy?.createScriptURL(SCRIPT) ?? SCRIPT, { scope: '/' })
  const { active } = await workers.ready
  const paths = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
  active?.postMessage([...new Set(paths)])
}
