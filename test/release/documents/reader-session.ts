import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { CLI_ENTRY, newInstallation, spawnServer } from '#test/cli/run-cli.ts'
import { runHostedCli, runHostedCliJson } from '#test/cli/run-hosted-cli.ts'
import { execScript } from './code-blocks.ts'

/**
 * A reader who follows a document, with a server that has the workspace Acme and the project ENG.
 * `replacements` maps texts of the document to real values, `extraEnv` is added to the environment
 * of the commands.
 */
export async function startReaderSession(
  t: TestContext,
  replacements: Record<string, string> = {},
  extraEnv: Record<string, string> = {},
) {
  const installation = await newInstallation()
  t.after(installation.remove)
  const { url, dataDir } = installation
  const acme = await createWorkspace(installation.env)
  const { child, ended } = await spawnServer(installation.env)
  t.after(() => child.kill('SIGKILL'))

  async function stop(): Promise<void> {
    child.kill('SIGTERM')
    await ended
  }

  /** All output so far, from which ids, secrets and cursors are copied. */
  let output = acme.printed
  const { owner_password } = acme
  const credentials = { DOCKET_KEY: acme.api_key, DOCKET_PASSWORD: owner_password }
  const env = { ...installation.env, DOCKET_URL: url, ...credentials, ...extraEnv }
  const defaultReplacements = {
    'http://127.0.0.1:4000': url,
    '{{base_url}}': url,
    'npm run --silent docket --': DIRECT_COMMAND,
  }
  const replacementOf = new Map(Object.entries({ ...defaultReplacements, ...replacements }))
  const longestFirst = [...replacementOf.keys()].sort((a, b) => b.length - a.length)
  const documented = new RegExp(longestFirst.map(RegExp.escape).join('|'), 'g')
  const stateFile = join(dataDir, 'session.sh')
  writeFileSync(stateFile, '')

  /** In one pass, because the real address of one may begin like the documented one of another. */
  const fillInAddresses = (text: string): string =>
    text.replace(documented, (found) => replacementOf.get(found) ?? found)

  /** Replaces addresses, and each `…` by the newest printed value of that kind. */
  function fillIn(text: string, where: string): string {
    return fillInAddresses(text).replace(PLACEHOLDER, (_, kind: string) => {
      const newest = [...output.matchAll(PATTERNS[kind] ?? RegExp(`\\b(${kind}\\w+)`, 'g'))].at(-1)
      assert.ok(newest?.[1], `${where}: nothing was printed for ${kind}…`)
      return kind.endsWith('=') ? kind + newest[1] : newest[1]
    })
  }

  /** Runs a shell command and returns its output. Exports and functions last for later commands. */
  async function runShell(command: string, where: string): Promise<string> {
    const line = fillIn(command, where)
    const [, words] = ONLY_DOCKET.exec(line) ?? []
    const printed = await (words === undefined ? runScript(line) : runDocket(words))
    output += printed
    return printed
  }

  const bash = (script: string) =>
    execScript('bash', ['--norc', '-ec', `. '${stateFile}'\n${script}`], env)

  const runScript = (line: string) => bash(`${line}\n{ export -p; declare -f; } > '${stateFile}'`)

  /** Runs a command of Docket with the words and the environment that the shell would give it. */
  async function runDocket(line: string): Promise<string> {
    const [variables = '', words = ''] = (
      await bash(`env -0; printf '\\0'; printf '%s\\0' ${line}`)
    ).split('\0\0')
    const settings = Object.fromEntries(
      variables
        .split('\0')
        .map((variable) => [
          variable.slice(0, variable.indexOf('=')),
          variable.slice(variable.indexOf('=') + 1),
        ]),
    )
    const { code, stdout, stderr } = await runHostedCli(settings, ...words.split('\0').slice(0, -1))
    if (code !== 0) throw new Error(`docket ${line} ended with ${code}\n${stderr}`)
    return stdout
  }

  /** Runs a Node program and returns its output. */
  async function runNode(program: string, where: string): Promise<string> {
    const words = ['--input-type=module', '-e', fillIn(program, where)]
    return execScript(process.execPath, words, env)
  }

  /** Goes on in another workspace of the same server, as new as the first was. */
  async function enterNewWorkspace(): Promise<void> {
    const { api_key, printed } = await createWorkspace(installation.env)
    addOutput(printed)
    env.DOCKET_KEY = api_key
    await runShell(`export DOCKET_KEY='${api_key}'`, 'a new workspace')
  }

  /** Adds text that the reader has seen elsewhere, such as in a browser. */
  function addOutput(text: string): void {
    output += text
  }

  return {
    url,
    env,
    owner_password,
    dataDir,
    fillIn,
    fillInAddresses,
    runShell,
    runNode,
    addOutput,
    enterNewWorkspace,
    stop,
  }
}

/** Makes a workspace with the project ENG; `printed` has the ids that a reader would copy. */
async function createWorkspace(env: Record<string, string>) {
  const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada Lovelace']
  const acme = await runHostedCliJson(env, 'workspace', 'create', '--name', 'Acme', ...owner)
  const { workspace_id = '', api_key = '', owner_password = '' } = acme
  const projectOptions = ['--name', 'Engineering', '--prefix', 'ENG']
  const inAcme = ['--workspace', workspace_id]
  const project = await runHostedCliJson(env, 'project', 'create', ...inAcme, ...projectOptions)
  const printed = `${workspace_id} ${api_key} ${acme.user_id} ${project.id}\n`
  return { api_key, owner_password, printed }
}

/** What `npm run docket` runs, without npm. */
const DIRECT_COMMAND = `'${process.execPath}' '${CLI_ENTRY}'`

/** A line that does nothing but run it, so that the process for the commands of tests can do it. */
const ONLY_DOCKET = RegExp(`^${RegExp.escape(DIRECT_COMMAND)} ((?:\\\\\\n|[^\\n|&;<>()\`])+)$`)

const PLACEHOLDER = /(\b[a-z]{3}_|\bwhsec_|\b(?:after|cursor|code)=)…/g
const PATTERNS: Record<string, RegExp> = {
  'after=': /"position":"([^"]+)","has_more"/g,
  'cursor=': /"next_cursor":"([\w.-]+)"/g,
  'code=': /[?&]code=([\w.~-]+)/g,
  whsec_: /\b(whsec_[\w+/=]+)/g,
}

/** Splits a block into commands, since a later one may need an id that an earlier one printed. */
export const splitCommands = (text: string): string[] => text.split(/\n(?=(?:api|curl) )/)
