import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'

/** A fenced block of a document: `line` is where it begins. */
export interface Block {
  language: string
  text: string
  line: number
}

export function blocksOf(path: string): Block[] {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((found) => ({
    language: found[1] ?? '',
    text: found[2] ?? '',
    line: text.slice(0, found.index).split('\n').length,
  }))
}

/** Runs a script to its end; what it wrote, or its complaint. */
export function run(command: string, args: string[], env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { PATH: process.env.PATH, ...env }, timeout: 60_000 }
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stderr}`))
      else resolve(stdout)
    })
  })
}

/** Whether an output is what a block shows of it: `…` stands for anything, JSON may hold more. */
export function shows({ language, text }: Block, output: string): boolean {
  if (language === 'json') return holds(JSON.parse(text), JSON.parse(output))
  if (language === 'text') return alike(text.trim(), output.trim())
  const [head = '', body] = text.split('\n\n')
  const [gotHead = '', gotBody = ''] = output.replaceAll('\r', '').split('\n\n')
  const lines = gotHead.toLowerCase().split('\n')
  const told = head.trim().toLowerCase().split('\n')
  const heads = told.every((line) => lines.some((got) => alike(line, got)))
  return heads && (body === undefined || holds(JSON.parse(body), JSON.parse(gotBody)))
}

/** Objects may hold more than is shown, lists may not. */
function holds(shown: unknown, got: unknown): boolean {
  if (typeof shown === 'string' && typeof got === 'string') return alike(shown, got)
  if (Array.isArray(shown) && Array.isArray(got)) {
    return shown.length === got.length && shown.every((one, at) => holds(one, got[at]))
  }
  if (!isObject(shown) || !isObject(got)) return isDeepStrictEqual(shown, got)
  const empty = Object.keys(shown).length === 0
  return empty
    ? isDeepStrictEqual(shown, got)
    : Object.entries(shown).every(([name, one]) => holds(one, got[name]))
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a text is of the form of one in which `…` stands for anything. */
function alike(shown: string, got: string): boolean {
  const parts = shown.split('…').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(got)
}
