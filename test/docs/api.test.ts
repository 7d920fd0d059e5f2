import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { answerOf, newPlace, serve } from '#test/cli/run.ts'
import { blocksOf, run, shows } from './blocks.ts'

const DOCUMENT = 'docs/api.md'
const RUN = new Set(['sh', 'js'])
const SHOWN = new Set(['json', 'http', 'text'])

test('every command of the API guide does what the guide shows', async (t) => {
  const place = await newPlace()
  t.after(place.remove)
  const { url, dataDir } = place
  const owner = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada Lovelace']
  const acme = await answerOf(place.env, 'workspace', 'create', '--name', 'Acme', ...owner)
  const project = ['--name', 'Engineering', '--prefix', 'ENG']
  await answerOf(place.env, 'project', 'create', '--workspace', acme.workspace_id ?? '', ...project)
  const { child } = await serve(place.env)
  t.after(() => child.kill('SIGKILL'))

  /** What the reader has on the screen, from which ids and cursors are copied. */
  let screen = `${acme.api_key}`
  let output = ''
  const session = join(dataDir, 'session.sh')
  writeFileSync(session, '')
  const env = { DOCKET_URL: url, DOCKET_KEY: acme.api_key ?? '' }

  /** Like a line typed into one shell, which keeps what earlier ones exported. */
  const typed = (line: string) => {
    const script = `. '${session}'\n${line}\n{ export -p; declare -f; } > '${session}'`
    return run('bash', ['--norc', '-ec', script], env)
  }

  for (const { language, line, text } of blocksOf(DOCUMENT)) {
    const where = `${DOCUMENT}:${line}`
    if (RUN.has(language)) {
      output = ''
      for (const command of language === 'sh' ? commandsIn(text) : [text]) {
        const line = filled(command.replaceAll('http://127.0.0.1:4000', url), screen, where)
        const program = ['--input-type=module', '-e', line]
        output = language === 'sh' ? await typed(line) : await run(process.execPath, program, env)
        screen += output
      }
    } else {
      assert.ok(
        SHOWN.has(language),
        `${where}: a block of ${language || 'no language'} is not tested`,
      )
      const shown = shows({ language, line, text }, output)
      assert.ok(shown, `${where} shows\n${text}\nbut there came\n${output}`)
    }
  }
})

/** A block's commands one by one: a later one may need an id that an earlier one printed. */
function commandsIn(text: string): string[] {
  return text.split(/\n(?=api )/)
}

/** Copies the newest id of the kind, or cursor, to where the guide has `…`. */
function filled(command: string, screen: string, where: string): string {
  return command.replace(/(\b[a-z]{3}_|cursor=)…/g, (_, kind: string) => {
    const pattern =
      kind === 'cursor=' ? /"next_cursor":"([\w.-]+)"/g : new RegExp(`\\b(${kind}\\w+)`, 'g')
    const newest = [...screen.matchAll(pattern)].at(-1)?.[1]
    assert.ok(newest, `${where}: nothing was printed for ${kind}…`)
    return kind === 'cursor=' ? `cursor=${newest}` : newest
  })
}
