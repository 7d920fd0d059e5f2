const SHOW_AFTER_MS = 1_000
const REFRESH_INTERVAL_MS = 200

interface ProgressOptions {
  /** Milliseconds between lines if there is no terminal; undefined to write none. */
  plainEvery?: number
  screen?: ProgressScreen
}

/** The progress of a running command. */
export interface CommandProgress {
  report(what: string): void
  /** Clears the line on a terminal. */
  end(): void
}

/**
 * Shows the progress of a command that takes longer than a second: on a terminal, or as log lines.
 */
export function createProgress(
  label: string,
  { plainEvery, screen = STDERR }: ProgressOptions = {},
): CommandProgress {
  const { isTTY, write } = screen
  const intervalMs = isTTY ? REFRESH_INTERVAL_MS : plainEvery
  const startedAt = performance.now()
  let lastShownAt = 0
  return {
    report(what) {
      const now = performance.now()
      if (intervalMs === undefined || now - startedAt < SHOW_AFTER_MS) return
      if (now - lastShownAt < intervalMs) return
      lastShownAt = now
      write(isTTY ? `\r\x1b[K${label}: ${what}` : `${label}: ${what}\n`)
    },
    end() {
      if (lastShownAt > 0 && isTTY) write('\r\x1b[K')
    },
  }
}

interface ProgressScreen {
  isTTY: boolean
  write(text: string): void
}

const STDERR: ProgressScreen = {
  isTTY: process.stderr.isTTY === true,
  write: (text) => process.stderr.write(text),
}
