import type { Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { memo, useId, useMemo } from 'react'
import type { MarkdownProps } from '../markdown/markdown.tsx'
import { renderMarkdownTree } from './render-markdown-tree.tsx'

const extensions = [gfm()]
const mdastExtensions = [gfmFromMarkdown()]

/** Renders Markdown as a fixed set of React elements; raw HTML is shown as text. */
export const RenderedMarkdown = memo(function RenderedMarkdown(props: MarkdownProps) {
  const id = useId()
  const tree = useMemo<Root>(
    () => fromMarkdown(props.source, { extensions, mdastExtensions }),
    [props.source],
  )
  return renderMarkdownTree(tree, id, props)
})
