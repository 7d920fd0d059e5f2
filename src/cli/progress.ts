const AFTER_MS = 1_000
const EVERY_MS = 200

/** Shows on a terminal how far a command is that takes longer than a second; elsewhere nothing. */
export function openProgress(doing: string, { isTTY, write }: Screen = screen) {
  const begun = performance.now()
  let shown = 0
  return {
    told(what: string): void {
      const now = performance.now()
      if (!isTTY || now - begun < AFTER_MS || now - shown < EVERY_MS) return
      shown = now
      write(`\r\x1b[K${doing}: ${what}`)
    },
    /** Leaves the line as it was. */
    end(): void {
      if (shown > 0) write('\r\x1b[K')
    },
  }
}

interface Screen {
  isTTY: boolean
  write(text: string): void
}

const screen: Screen = {
  isTTY: process.stderr.isTTY === true,
  write: (text) => process.stderr.write(text),
}
