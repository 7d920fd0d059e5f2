import type { Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { memo, useId, useMemo } from 'react'
import type { MarkdownProps } from '../markdown.tsx'
import { rendered } from './markdown-nodes.tsx'

const extensions = [gfm()]
const mdastExtensions = [gfmFromMarkdown()]

/** Markdown as React elements of those that are named here; raw HTML is shown as the text that it is. */
export const RenderedMarkdown = memo(function RenderedMarkdown(props: MarkdownProps) {
  const id = useId()
  const tree = useMemo<Root>(
    () => fromMarkdown(props.source, { extensions, mdastExtensions }),
    [props.source],
  )
  return rendered(tree, id, props)
})
