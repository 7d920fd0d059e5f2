import { memo, type ReactNode, useId } from 'react'
import Markdown, { type Components, type ExtraProps } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import {
  ALLOWED,
  numberBoxes,
  ownImage,
  references,
  safeLink,
  type TreeNode,
  toggled,
} from '../../lib/markdown.ts'
import { m } from '../../messages/ui.ts'
import type { MarkdownProps } from '../markdown.tsx'

const remarkPlugins = [remarkGfm, () => (tree: TreeNode) => references(tree)]
const rehypePlugins = [() => (tree: TreeNode) => numberBoxes(tree)]
const allowed = [...ALLOWED]

/** Markdown as React elements of an allow-list; raw HTML is shown as the text that it is. */
export const RenderedMarkdown = memo(function RenderedMarkdown(props: MarkdownProps) {
  const { source, onToggle, nameOf, me, task, boxesOff } = props
  const id = useId()
  const components: Components = {
    ...HEADINGS,
    a: ({ node, href, children }) => {
      const { dataMention, dataTask } = node?.properties ?? {}
      if (typeof dataMention === 'string') {
        const mine = dataMention === me
        return (
          <span className={mine ? 'mention me' : 'mention'}>
            @{nameOf?.(dataMention) ?? m.unknownPerson}
          </span>
        )
      }
      if (typeof dataTask === 'string') return task?.(dataTask) ?? dataTask
      return <SafeLink href={href}>{children}</SafeLink>
    },
    img: ({ src, alt = '' }) => <SafeImage src={src} alt={alt} />,
    input: ({ node, checked }) => {
      const { dataIndex, dataOffset, dataLabel } = node?.properties ?? {}
      const usable = onToggle !== undefined && typeof dataOffset === 'number'
      return (
        <input
          type="checkbox"
          aria-label={typeof dataLabel === 'string' && dataLabel ? dataLabel : m.taskBox}
          checked={checked === true}
          disabled={!usable}
          title={usable ? undefined : boxesOff}
          onChange={() => usable && onToggle(Number(dataIndex), toggled(source, dataOffset))}
        />
      )
    },
    table: ({ children }) => (
      <div className="table-scroll">
        <table>{children}</table>
      </div>
    ),
  }
  return (
    <Markdown
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      remarkRehypeOptions={{ clobberPrefix: `${id}-` }}
      allowedElements={allowed}
      unwrapDisallowed
      urlTransform={(url) => safeLink(url, location.origin)?.href ?? ''}
      components={components}
    >
      {source}
    </Markdown>
  )
})

function SafeLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const link = href ? safeLink(href, location.origin) : undefined
  if (!link) return <>{children}</>
  return link.own ? (
    <a href={link.href}>{children}</a>
  ) : (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** An attachment of this place, small and to be opened; any other picture is a link to it. */
function SafeImage({ src, alt }: { src: unknown; alt: string }) {
  const url = typeof src === 'string' ? src : ''
  const own = ownImage(url, location.origin)
  if (own === undefined) return <SafeLink href={url}>{alt || url}</SafeLink>
  return (
    <a className="picture" href={own} target="_blank" rel="noopener">
      <img src={own} alt={alt} loading="lazy" />
    </a>
  )
}

type Heading = { children?: ReactNode } & ExtraProps

// The page has a title of its own: headings of a text begin below it.
const HEADINGS: Components = {
  h1: ({ children }: Heading) => <h3 className="md-1">{children}</h3>,
  h2: ({ children }: Heading) => <h4>{children}</h4>,
  h3: ({ children }: Heading) => <h5>{children}</h5>,
  h4: ({ children }: Heading) => <h6>{children}</h6>,
  h5: ({ children }: Heading) => <h6>{children}</h6>,
}
