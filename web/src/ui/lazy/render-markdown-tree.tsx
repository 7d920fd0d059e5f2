// biome-ignore-all lint/suspicious/noArrayIndexKey: parts of a text have no identity but their position.

import type {
  Blockquote,
  Definition,
  FootnoteDefinition,
  FootnoteReference,
  Heading,
  List,
  ListItem,
  Nodes,
  Root,
  Table,
} from 'mdast'
import { Fragment, type ReactNode } from 'react'
import { withoutHtmlComments } from '#lib/html-comments.ts'
import {
  getItemText,
  splitReferences,
  toAttachmentImage,
  toggleCheckbox,
  toSafeLink,
} from '../../lib/markdown/markdown.ts'
import { markdownMessages } from '../../messages/app/markdown.ts'
import type { MarkdownProps } from '../markdown/markdown.tsx'

/** State of rendering one text. */
interface RenderContext {
  /** Prefix of element ids, unique in the document. */
  id: string
  props: MarkdownProps
  links: Map<string, Definition>
  notes: Map<string, FootnoteDefinition>
  /** Identifiers of the footnotes in the order of their first reference. */
  citedNotes: string[]
  boxes: { count: number }
  /** Whether the node is inside a link, where mentions and task ids must not become links. */
  linked: boolean
}

/**
 * Renders a text with the elements of this file only, so that no author can add others. `data-level` and
 * `data-reference` say what a copy means that is pasted into another text (src/lib/html-to-markdown).
 */
export function renderMarkdownTree(tree: Root, id: string, props: MarkdownProps): ReactNode {
  const context: RenderContext = {
    id,
    props,
    links: new Map(),
    notes: new Map(),
    citedNotes: [],
    boxes: { count: 0 },
    linked: false,
  }
  collectDefinitions(tree, context)
  const text = renderChildren(tree, context)
  return (
    <>
      {text}
      {renderFootnotes(context)}
    </>
  )
}

/** Collects the link and footnote definitions; the first one of a name wins (CommonMark 4.7). */
function collectDefinitions(node: Nodes, context: RenderContext): void {
  if (node.type === 'definition' && !context.links.has(node.identifier)) {
    context.links.set(node.identifier, node)
  }
  if (node.type === 'footnoteDefinition' && !context.notes.has(node.identifier)) {
    context.notes.set(node.identifier, node)
  }
  if ('children' in node) for (const child of node.children) collectDefinitions(child, context)
}

function renderChildren(node: Nodes, context: RenderContext): ReactNode[] {
  if (!('children' in node)) return []
  return node.children.map((child, at) => (
    <Fragment key={at}>{renderNode(child, context)}</Fragment>
  ))
}

function renderNode(node: Nodes, context: RenderContext): ReactNode {
  switch (node.type) {
    case 'text':
      return renderLines(node.value, context)
    case 'html':
      return withoutHtmlComments(node.value).trim() || null
    case 'paragraph':
      return <p dir="auto">{renderChildren(node, context)}</p>
    case 'heading':
      return renderHeading(node, context)
    case 'thematicBreak':
      return <hr />
    case 'blockquote':
      return <blockquote dir="auto">{renderContainer(node, context)}</blockquote>
    case 'list':
      return renderList(node, context)
    case 'code':
      return (
        <pre>
          <code className={node.lang ? `language-${node.lang}` : undefined}>
            {`${node.value}\n`}
          </code>
        </pre>
      )
    case 'inlineCode':
      return <code>{node.value}</code>
    case 'emphasis':
      return <em>{renderChildren(node, context)}</em>
    case 'strong':
      return <strong>{renderChildren(node, context)}</strong>
    case 'delete':
      return <del>{renderChildren(node, context)}</del>
    case 'break':
      return <br />
    case 'link':
      return (
        <SafeLink href={node.url}>{renderChildren(node, { ...context, linked: true })}</SafeLink>
      )
    case 'linkReference':
      return (
        <SafeLink href={context.links.get(node.identifier)?.url}>
          {renderChildren(node, { ...context, linked: true })}
        </SafeLink>
      )
    case 'image':
      return <SafeImage src={node.url} alt={node.alt ?? ''} />
    case 'imageReference':
      return <SafeImage src={context.links.get(node.identifier)?.url ?? ''} alt={node.alt ?? ''} />
    case 'table':
      return renderTable(node, context)
    case 'footnoteReference':
      return renderFootnoteReference(node, context)
    default:
      return null
  }
}

/** People mean the line breaks that they type, though CommonMark makes them spaces. */
function renderLines(text: string, context: RenderContext): ReactNode {
  return text.split('\n').map((line, at) => (
    <Fragment key={at}>
      {at > 0 && <br />}
      {context.linked ? line : renderReferences(line, context)}
    </Fragment>
  ))
}

function renderReferences(text: string, { props }: RenderContext): ReactNode {
  const { nameOf, me, task } = props
  return splitReferences(text).map((part, at) => {
    if (typeof part === 'string') return part
    if ('task' in part) {
      return (
        <span key={at} data-reference={part.task}>
          {task?.(part.task) ?? part.task}
        </span>
      )
    }
    return (
      <span
        key={at}
        className={part.mention === me ? 'mention me' : 'mention'}
        data-reference={`<@${part.mention}>`}
      >
        @{nameOf?.(part.mention) ?? markdownMessages.unknownPerson}
      </span>
    )
  })
}

// The page has headings of its own; those of a text start below them.
const HEADING_LEVELS = { 1: 'h3', 2: 'h4', 3: 'h5', 4: 'h6', 5: 'h6', 6: 'h6' } as const

function renderHeading(node: Heading, context: RenderContext): ReactNode {
  const Level = HEADING_LEVELS[node.depth]
  return (
    <Level dir="auto" className={node.depth === 1 ? 'md-1' : undefined} data-level={node.depth}>
      {renderChildren(node, context)}
    </Level>
  )
}

function renderList(node: List, context: RenderContext): ReactNode {
  const loose = node.spread || node.children.some(({ spread }) => spread)
  const items = node.children.map((one, at) => (
    <li
      key={at}
      dir="auto"
      className={typeof one.checked === 'boolean' ? 'task-list-item' : undefined}
    >
      {renderListItem(one, loose === true, context)}
    </li>
  ))
  return node.ordered ? <ol start={node.start ?? 1}>{items}</ol> : <ul>{items}</ul>
}

/** The checkbox comes before the text; tight lists have no paragraphs (CommonMark 5.3). */
function renderListItem(node: ListItem, loose: boolean, context: RenderContext): ReactNode {
  const box = typeof node.checked === 'boolean' ? renderCheckbox(node, context) : undefined
  const [first] = node.children
  return (
    <>
      {first?.type !== 'paragraph' && box}
      {node.children.map((child, at) => {
        if (child.type !== 'paragraph' || (loose && child !== first))
          return <Fragment key={at}>{renderNode(child, context)}</Fragment>
        const words = (
          <Fragment key={at}>
            {child === first && box}
            {renderChildren(child, context)}
          </Fragment>
        )
        return loose ? <p key={at}>{words}</p> : words
      })}
    </>
  )
}

/**
 * The children of a block that has a direction of its own. It takes that from its first paragraph, which must
 * not have one for it: browsers pass over what has.
 */
const renderContainer = (node: Blockquote | FootnoteDefinition, context: RenderContext) =>
  node.children.map((child, at) => (
    <Fragment key={at}>
      {at === 0 && child.type === 'paragraph' ? (
        <p>{renderChildren(child, context)}</p>
      ) : (
        renderNode(child, context)
      )}
    </Fragment>
  ))

function renderCheckbox(node: ListItem, { props, boxes }: RenderContext): ReactNode {
  const { source, onToggle, boxesOff } = props
  const index = boxes.count
  boxes.count += 1
  const offset = node.position?.start.offset
  const isUsable = onToggle !== undefined && offset !== undefined
  return (
    <input
      type="checkbox"
      aria-label={getItemText(node).trim() || markdownMessages.taskBox}
      checked={node.checked === true}
      disabled={!isUsable}
      title={isUsable ? undefined : boxesOff}
      onChange={() => isUsable && onToggle(index, toggleCheckbox(source, offset))}
    />
  )
}

function renderTable(node: Table, context: RenderContext): ReactNode {
  const rows = node.children.map((row, at) => {
    const Cell = at === 0 ? 'th' : 'td'
    const cells = row.children.map((cell, column) => (
      <Cell key={column} dir="auto" style={{ textAlign: node.align?.[column] ?? undefined }}>
        {renderChildren(cell, context)}
      </Cell>
    ))
    return <tr key={at}>{cells}</tr>
  })
  const [head, ...body] = rows
  return (
    <div className="table-scroll">
      <table>
        <thead>{head}</thead>
        <tbody>{body}</tbody>
      </table>
    </div>
  )
}

function renderFootnoteReference(
  { identifier }: FootnoteReference,
  { id, citedNotes }: RenderContext,
): ReactNode {
  if (!citedNotes.includes(identifier)) citedNotes.push(identifier)
  const number = citedNotes.indexOf(identifier) + 1
  return (
    <sup>
      <a href={`#${id}-fn-${number}`} id={`${id}-fnref-${number}`}>
        {number}
      </a>
    </sup>
  )
}

/** The footnotes under the text, each with a link back to its first reference. */
function renderFootnotes(context: RenderContext): ReactNode {
  const items: ReactNode[] = []
  // A footnote may reference another one, which is appended while the loop runs.
  for (let at = 0; at < context.citedNotes.length; at += 1) {
    const note = context.notes.get(context.citedNotes[at] ?? '')
    items.push(
      <li key={at} id={`${context.id}-fn-${at + 1}`} dir="auto">
        {note && renderContainer(note, context)}
        <a href={`#${context.id}-fnref-${at + 1}`} aria-label={markdownMessages.backToText}>
          ↩
        </a>
      </li>,
    )
  }
  if (items.length === 0) return null
  return (
    <section aria-label={markdownMessages.notes}>
      <ol>{items}</ol>
    </section>
  )
}

/** A link, or only its text if the address is unsafe. */
function SafeLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const link = href ? toSafeLink(href, location.origin) : undefined
  if (!link) return <>{children}</>
  return link.own ? (
    <a href={link.href}>{children}</a>
  ) : (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** A thumbnail of an attachment of this server; any other image becomes a link to it. */
function SafeImage({ src, alt }: { src: string; alt: string }) {
  const own = toAttachmentImage(src, location.origin)
  if (own === undefined) return <SafeLink href={src}>{alt || src}</SafeLink>
  return (
    <a className="picture" href={own} target="_blank" rel="noopener">
      <img src={own} alt={alt} loading="lazy" />
    </a>
  )
}
