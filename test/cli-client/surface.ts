import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatCommandPage, formatOverview } from '../../cli/src/command.ts'
import { COMMANDS } from '../../cli/src/commands.ts'

const WIDTH = 80

/** The help of all commands: what scripts and people rely on. */
export const formatSurface = (): string =>
  [
    formatOverview(COMMANDS, WIDTH),
    ...COMMANDS.filter(({ isHidden }) => !isHidden).map((one) => formatCommandPage(one, WIDTH)),
  ].join(`\n\n${'-'.repeat(WIDTH)}\n\n`)

export const SURFACE_FILE = join(import.meta.dirname, 'surface.txt')

if (import.meta.main) writeFileSync(SURFACE_FILE, `${formatSurface()}\n`)
