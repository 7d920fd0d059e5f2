import type { BrowserContext } from '@playwright/test'

/** Records what must never happen in the pages of a test. */
export interface PageGuard {
  /** Permits what a test provokes on purpose: an error status, or a message in the console. */
  allow(...expected: (number | RegExp)[]): void
  watch(context: BrowserContext): Promise<void>
  /** What has happened without being allowed, one line each. */
  violations(): string[]
  /** Everything that was recorded, with the whole console, allowed or not. */
  lines(): string[]
}

/**
 * Records console errors, uncaught exceptions, violations of the Content Security Policy and
 * requests to other origins. Each fails the test, whatever it tests.
 */
export function createPageGuard(origin: string): PageGuard {
  const violations: string[] = []
  const lines: string[] = []
  const addViolation = (line: string) => {
    violations.push(line)
    lines.push(line)
  }
  const allowed: RegExp[] = []
  return {
    allow(...expected) {
      for (const one of expected) {
        allowed.push(
          typeof one === 'number' ? new RegExp(`responded with a status of ${one}\\b`) : one,
        )
      }
    },
    async watch(context) {
      context.on('console', (message) => {
        const line = `${message.text()} ${message.location().url}`
        if (message.type() === 'error') addViolation(`console: ${line}`)
        else lines.push(`${message.type()}: ${line}`)
      })
      context.on('weberror', (error) =>
        addViolation(`script: ${error.error().stack ?? error.error()}`),
      )
      context.on('request', (request) => {
        const url = URL.parse(request.url())
        if (url && /^(https?|wss?):$/.test(url.protocol) && url.origin !== origin) {
          addViolation(`foreign request: ${request.url()}`)
        }
      })
      await context.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) => {
          const { effectiveDirective, blockedURI, sourceFile, lineNumber } = event
          console.error('policy:', effectiveDirective, blockedURI, `${sourceFile}:${lineNumber}`)
        })
      })
    },
    lines: () => lines,
    violations: () => violations.filter((line) => !allowed.some((one) => one.test(line))),
  }
}
