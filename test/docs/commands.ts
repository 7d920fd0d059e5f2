import { globSync } from 'node:fs'
import { blocksOf } from './blocks.ts'

/** A command that a document prints. */
export interface DocumentedCommand {
  text: string
  where: string
}

export const DOCUMENTS = [
  ...['README.md', 'CONTRIBUTING.md'],
  ...globSync(['docs/*.md', 'examples/*/README.md']).toSorted(),
]

/** The commands of a document's blocks for a shell; not the blocks that only list settings. */
export function commandsOf(document: string): DocumentedCommand[] {
  return shellBlocks(document).flatMap(({ text, line }) => {
    if (isSettings(text)) return []
    const commands = text.split(/(?<!\\)\n/).map((command) => command.replace(/(^|\s+)# .*$/, ''))
    return commands
      .filter((command) => command !== '')
      .map((command) => ({ text: command, where: `${document}:${line}` }))
  })
}

/** The settings of a document's blocks that are nothing else. */
export const settingsOf = (document: string): Record<string, string> =>
  Object.fromEntries(
    shellBlocks(document)
      .filter(({ text }) => isSettings(text))
      .flatMap(({ text }) => text.trim().split('\n'))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

const shellBlocks = (document: string) =>
  blocksOf(document).filter(({ language }) => language === 'sh')

const isSettings = (text: string) =>
  text
    .trim()
    .split('\n')
    .every((line) => /^[A-Z_]+=\S+$/.test(line))
