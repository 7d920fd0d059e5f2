import type { Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { createWorkLimit, WorkLimitError } from './markdown-work-limit.ts'

const extensions = [gfm()]
const mdastExtensions = [gfmFromMarkdown()]

/** Parses Markdown, or returns undefined if its markup would take too long. */
export function parseMarkdown(source: string): Root | undefined {
  try {
    return fromMarkdown(source, {
      extensions: [...extensions, createWorkLimit(source)],
      mdastExtensions,
    })
  } catch (error) {
    if (error instanceof WorkLimitError) return undefined
    throw error
  }
}
