import { memo, useId, useMemo } from 'react'
import { withoutHtmlComments } from '#lib/html-to-markdown.ts'
import type { MarkdownProps } from '../markdown/markdown.tsx'
import { parseMarkdown } from './parse-markdown.ts'
import { renderMarkdownTree } from './render-markdown-tree.tsx'

/**
 * Renders Markdown as a fixed set of React elements; raw HTML is shown as text, but for its
 * comments. So is a source that
 * would take too long to parse.
 */
export const RenderedMarkdown = memo(function RenderedMarkdown(props: MarkdownProps) {
  const id = useId()
  const tree = useMemo(() => parseMarkdown(props.source), [props.source])
  if (!tree) return <p className="md-source">{withoutHtmlComments(props.source)}</p>
  return renderMarkdownTree(tree, id, props)
})
