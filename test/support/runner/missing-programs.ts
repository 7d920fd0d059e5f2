import { spawnSync } from 'node:child_process'
import { INTERPRETERS } from '#test/release/webhook-programs/documented-programs.ts'
import { WEBHOOK_LIBRARIES } from '#test/release/webhook-programs/webhook-libraries.ts'
import { pgbouncerProgram } from '../postgres/pgbouncer.ts'
import { isScriptInstalled } from '../services/script.ts'
import { COMPLETED_SHELLS } from '../services/shells.ts'

/** A program or library that some tests need and that npm cannot install. */
interface OptionalProgram {
  /** What is not tested without it. */
  name: string
  isHere: boolean
  /** The tests that need it. */
  file: string
  /** What the installer has to install, for example a package of Debian and Ubuntu. */
  package: string
  /** The command that installs it; by default `apt-get install`. */
  installer?: string
}

const LANGUAGES = { py: 'python3', go: 'golang', rb: 'ruby', php: 'php-cli' }
const WEBHOOK_PROGRAMS = 'test/release/webhook-programs/webhook-programs.test.ts'
const INSTALLED_PROGRAMS = 'test/release/installed-programs.test.ts'

const canRun = (command = '', ...args: string[]) => spawnSync(command, args).error === undefined

function listOptionalPrograms(): OptionalProgram[] {
  const languages = Object.entries(LANGUAGES).map(([ending, name]) => ({
    name: `verify.${ending} of docs/guides/verify-webhooks.md`,
    isHere: canRun(...(INTERPRETERS[ending] ?? [])),
    file: WEBHOOK_PROGRAMS,
    package: name,
  }))
  const libraries = WEBHOOK_LIBRARIES.map(({ sample, isInstalled, install }) => ({
    name: `${sample} of docs/guides/verify-webhooks.md`,
    isHere: isInstalled(),
    file: WEBHOOK_PROGRAMS,
    installer: install[0],
    package: install[1],
  }))
  const terminals = [
    { name: 'prompts in a terminal', file: 'test/cli/admin-commands.test.ts' },
    { name: 'the docket command in a terminal', file: 'test/cli-client/terminal.test.ts' },
  ]
  return [
    ...terminals.map((one) => ({ ...one, isHere: isScriptInstalled, package: 'bsdutils' })),
    {
      name: 'PgBouncer',
      isHere: pgbouncerProgram !== undefined,
      file: 'test/experiments/postgres/pgbouncer.test.ts',
      package: 'pgbouncer',
    },
    ...COMPLETED_SHELLS.map(({ name, isInstalled }) => ({
      name: `completion in ${name}`,
      isHere: isInstalled && isScriptInstalled,
      file: INSTALLED_PROGRAMS,
      package: isInstalled ? 'bsdutils' : name,
    })),
    {
      name: 'the systemd units',
      isHere: canRun('systemd-analyze', '--version'),
      file: INSTALLED_PROGRAMS,
      package: 'systemd',
    },
    {
      name: 'metrics with promtool',
      isHere: canRun('promtool', '--version'),
      file: INSTALLED_PROGRAMS,
      package: 'prometheus',
    },
    ...languages,
    ...libraries,
  ]
}

/**
 * A line that lists what the tests of these files have not tried and how to install it; undefined if nothing is
 * missing.
 */
export function describeMissingPrograms(
  files: readonly string[],
  programs: readonly OptionalProgram[] = listOptionalPrograms(),
): string | undefined {
  const missing = programs.filter(({ isHere, file }) => !isHere && files.includes(file))
  if (missing.length === 0) return undefined
  const byInstaller = Map.groupBy(missing, ({ installer = 'apt-get install' }) => installer)
  const groups = [...byInstaller].map(([installer, group]) => {
    const names = group.map(({ name }) => name).join(', ')
    return `${names}: ${installer} ${group.map((program) => program.package).join(' ')}`
  })
  return `Not tested: ${groups.join('; ')}`
}
