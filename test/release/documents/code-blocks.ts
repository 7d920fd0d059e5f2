import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { BASE_ENV } from '#test/cli/run-cli.ts'

/** A fenced code block of a document; `line` is where it begins. */
export interface CodeBlock {
  language: string
  text: string
  line: number
}

export function readCodeBlocks(path: string): CodeBlock[] {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((found) => ({
    language: found[1] ?? '',
    text: found[2] ?? '',
    line: text.slice(0, found.index).split('\n').length,
  }))
}

/** Runs a command and returns its output; fails with its error output. */
export function execScript(
  command: string,
  args: string[],
  env: Record<string, string>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...BASE_ENV, ...env }, timeout: 60_000 }
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stderr}`))
      else resolve(stdout)
    })
  })
}

/** Whether output matches a block, in which `…` stands for anything; JSON may have more fields. */
export function matchesOutput({ language, text }: CodeBlock, output: string): boolean {
  if (language === 'json') return contains(JSON.parse(text), JSON.parse(output))
  if (language === 'text') return matchesPattern(text.trim(), output.trim())
  const [head = '', body] = text.split('\n\n')
  const [actualHead = '', actualBody = ''] = output.replaceAll('\r', '').split('\n\n')
  const lines = actualHead.toLowerCase().split('\n')
  const expectedLines = head.trim().toLowerCase().split('\n')
  const hasHead = expectedLines.every((line) =>
    lines.some((actual) => matchesPattern(line, actual)),
  )
  return hasHead && (body === undefined || contains(JSON.parse(body), JSON.parse(actualBody)))
}

/** Objects may have more fields than expected, arrays not more items. */
function contains(expected: unknown, actual: unknown): boolean {
  if (typeof expected === 'string' && typeof actual === 'string')
    return matchesPattern(expected, actual)
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return (
      expected.length === actual.length && expected.every((one, at) => contains(one, actual[at]))
    )
  }
  if (!isObject(expected) || !isObject(actual)) return isDeepStrictEqual(expected, actual)
  const empty = Object.keys(expected).length === 0
  return empty
    ? isDeepStrictEqual(expected, actual)
    : Object.entries(expected).every(([name, one]) => contains(one, actual[name]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a text matches a pattern in which `…` stands for anything. */
function matchesPattern(expected: string, actual: string): boolean {
  const parts = expected.split('…').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(actual)
}
