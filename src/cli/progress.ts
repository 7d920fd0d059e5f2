const AFTER_MS = 1_000
const EVERY_MS = 200

/** How a command is watched that takes longer than a second. */
interface Watched {
  /** Milliseconds between lines where there is no terminal; undefined: nothing is written there. */
  plainEvery?: number
  screen?: Screen
}

/** Shows on a terminal how far a command is that takes longer than a second; elsewhere lines, if any. */
export function openProgress(doing: string, { plainEvery, screen = SCREEN }: Watched = {}) {
  const { isTTY, write } = screen
  const every = isTTY ? EVERY_MS : plainEvery
  const begun = performance.now()
  let shown = 0
  return {
    told(what: string): void {
      const now = performance.now()
      if (every === undefined || now - begun < AFTER_MS || now - shown < every) return
      shown = now
      write(isTTY ? `\r\x1b[K${doing}: ${what}` : `${doing}: ${what}\n`)
    },
    /** Leaves the line as it was. */
    end(): void {
      if (shown > 0 && isTTY) write('\r\x1b[K')
    },
  }
}

interface Screen {
  isTTY: boolean
  write(text: string): void
}

const SCREEN: Screen = {
  isTTY: process.stderr.isTTY === true,
  write: (text) => process.stderr.write(text),
}
