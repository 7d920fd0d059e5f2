import { globSync } from 'node:fs'
import { readCodeBlocks } from './code-blocks.ts'

/** A shell command in a document. */
export interface DocumentedCommand {
  text: string
  where: string
}

export const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync(['docs/*.md', 'examples/*/README.md']).toSorted(),
]

/** The commands in the shell blocks of a document, except blocks that only list settings. */
export function readCommands(document: string): DocumentedCommand[] {
  return shellBlocks(document).flatMap(({ text, line }) => {
    if (isSettings(text)) return []
    const commands = text.split(/(?<!\\)\n/).map((command) => command.replace(/(^|\s+)# .*$/, ''))
    return commands
      .filter((command) => command !== '')
      .map((command) => ({ text: command, where: `${document}:${line}` }))
  })
}

/** The settings in the shell blocks of a document that only list settings. */
export const readSettings = (document: string): Record<string, string> =>
  Object.fromEntries(
    shellBlocks(document)
      .filter(({ text }) => isSettings(text))
      .flatMap(({ text }) => text.trim().split('\n'))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

const shellBlocks = (document: string) =>
  readCodeBlocks(document).filter(({ language }) => language === 'sh')

const isSettings = (text: string) =>
  text
    .trim()
    .split('\n')
    .every((line) => /^[A-Z_]+=\S+$/.test(line))
