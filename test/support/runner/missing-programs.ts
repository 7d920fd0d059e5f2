import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { INTERPRETERS } from '#test/release/webhook-programs/documented-programs.ts'
import { WEBHOOK_LIBRARIES } from '#test/release/webhook-programs/webhook-libraries.ts'
import { isFail2banInstalled } from '../services/fail2ban.ts'
import { isScriptInstalled } from '../services/script.ts'
import { COMPLETED_SHELLS } from '../services/shells.ts'

/** A program or library that some tests need and that npm cannot install. */
interface OptionalProgram {
  name: string
  isHere: boolean
  tests: number
  /** What the installer has to install, for example a package of Debian and Ubuntu. */
  package: string
  /** The command that installs it; by default `apt-get install`. */
  installer?: string
}

/** Counts indented tests: those that a file defines only if its program is installed. */
const countOptionalTests = (file: string) =>
  readFileSync(file, 'utf8').match(/^ {2}test\(/gm)?.length ?? 0

const LANGUAGES = { py: 'python3', go: 'golang', rb: 'ruby', php: 'php-cli' }

function listOptionalPrograms(): OptionalProgram[] {
  const languages = Object.entries(LANGUAGES).map(([ending, name]) => {
    const [command, ...asked] = INTERPRETERS[ending] ?? ['']
    const isHere = spawnSync(command, asked).error === undefined
    return {
      name: `verify.${ending} of docs/guides/verify-webhooks.md`,
      isHere,
      tests: 1,
      package: name,
    }
  })
  const libraries = WEBHOOK_LIBRARIES.map(({ sample, isInstalled, install }) => ({
    name: `${sample} of docs/guides/verify-webhooks.md`,
    isHere: isInstalled(),
    tests: 2,
    installer: install[0],
    package: install[1],
  }))
  return [
    {
      name: 'the filter of fail2ban',
      isHere: isFail2banInstalled,
      package: 'fail2ban',
      tests: countOptionalTests('test/http/access-log.test.ts'),
    },
    {
      name: 'prompts in a terminal',
      isHere: isScriptInstalled,
      package: 'bsdutils',
      tests: countOptionalTests('test/cli/admin-commands.test.ts'),
    },
    {
      name: 'the docket command in a terminal',
      isHere: isScriptInstalled,
      package: 'bsdutils',
      tests: countOptionalTests('test/cli-client/terminal.test.ts'),
    },
    ...COMPLETED_SHELLS.map(({ name, isInstalled }) => ({
      name: `completion in ${name}`,
      isHere: isInstalled && isScriptInstalled,
      package: isInstalled ? 'bsdutils' : name,
      tests: 1,
    })),
    {
      name: 'the systemd units',
      isHere: spawnSync('systemd-analyze', ['--version']).error === undefined,
      package: 'systemd',
      tests: 2,
    },
    {
      name: 'metrics with promtool',
      isHere: spawnSync('promtool', ['--version']).error === undefined,
      package: 'prometheus',
      tests: 1,
    },
    ...languages,
    ...libraries,
  ]
}

/** A line that lists what was not tested and how to install it; undefined if nothing is missing. */
export function describeMissingPrograms(
  programs: readonly OptionalProgram[] = listOptionalPrograms(),
): string | undefined {
  const missing = programs.filter(({ isHere }) => !isHere)
  if (missing.length === 0) return undefined
  const byInstaller = Map.groupBy(missing, ({ installer = 'apt-get install' }) => installer)
  const groups = [...byInstaller].map(([installer, group]) => {
    const names = group.map(({ name, tests }) => {
      return `${name} (${tests} ${tests === 1 ? 'test' : 'tests'})`
    })
    const packages = group.map((program) => program.package).join(' ')
    return `${names.join(', ')}: ${installer} ${packages}`
  })
  return `Not tested: ${groups.join('; ')}`
}
