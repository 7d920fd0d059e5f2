import type { BrowserContext } from '@playwright/test'

/** Watches what must never happen in a page. */
export interface Guard {
  /** What a test provokes on purpose: a status of a reply, or a message of the console. */
  allow(...expected: (number | RegExp)[]): void
  watch(context: BrowserContext): Promise<void>
  /** What has happened and was not allowed, a line each. */
  complaints(): string[]
  /** All that was seen and all that the console says, allowed or not. */
  lines(): string[]
}

/**
 * Any error in the console, any that a script did not catch, any break of the policy, any request to
 * another origin: each fails the test, whatever it looked at.
 */
export function guardOf(origin: string): Guard {
  const seen: string[] = []
  const lines: string[] = []
  const note = (line: string) => {
    seen.push(line)
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
        if (message.type() === 'error') note(`console: ${line}`)
        else lines.push(`${message.type()}: ${line}`)
      })
      context.on('weberror', (error) => note(`script: ${error.error().stack ?? error.error()}`))
      context.on('request', (request) => {
        const url = URL.parse(request.url())
        if (url && /^(https?|wss?):$/.test(url.protocol) && url.origin !== origin) {
          note(`foreign request: ${request.url()}`)
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
    complaints: () => seen.filter((line) => !allowed.some((one) => one.test(line))),
  }
}
