// biome-ignore-all lint/suspicious/noArrayIndexKey: the parts of a text have no name but their place.

import type {
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
import { partsOf, toggled, wordsOf } from '../../lib/markdown.ts'
import { m } from '../../messages/ui.ts'
import type { MarkdownProps } from '../markdown.tsx'
import { SafeImage, SafeLink } from './markdown-links.tsx'

/** What rendering knows of the whole text. */
interface Page {
  /** Apart from that of every other text in the document. */
  id: string
  props: MarkdownProps
  links: Map<string, Definition>
  notes: Map<string, FootnoteDefinition>
  /** Identifiers of the notes, in the order in which the text comes to them. */
  noted: string[]
  boxes: { count: number }
  /** Within a link: what is named there leads where the link does. */
  linked: boolean
}

/** A text as React elements: only those that stand here, so nothing that somebody writes is any other. */
export function rendered(tree: Root, id: string, props: MarkdownProps): ReactNode {
  const page: Page = {
    ...{
      id,
      props,
      links: new Map(),
      notes: new Map(),
      noted: [],
      boxes: { count: 0 },
      linked: false,
    },
  }
  collect(tree, page)
  const text = within(tree, page)
  return (
    <>
      {text}
      {notes(page)}
    </>
  )
}

/** Where links and notes are defined, wherever that is; the first of a name counts (CommonMark 4.7). */
function collect(node: Nodes, page: Page): void {
  if (node.type === 'definition' && !page.links.has(node.identifier)) {
    page.links.set(node.identifier, node)
  }
  if (node.type === 'footnoteDefinition' && !page.notes.has(node.identifier)) {
    page.notes.set(node.identifier, node)
  }
  if ('children' in node) for (const child of node.children) collect(child, page)
}

function within(node: Nodes, page: Page): ReactNode[] {
  if (!('children' in node)) return []
  return node.children.map((child, at) => <Fragment key={at}>{element(child, page)}</Fragment>)
}

function element(node: Nodes, page: Page): ReactNode {
  switch (node.type) {
    case 'text':
      return page.linked ? node.value : references(node.value, page)
    case 'html':
      return node.value
    case 'paragraph':
      return <p>{within(node, page)}</p>
    case 'heading':
      return heading(node, page)
    case 'thematicBreak':
      return <hr />
    case 'blockquote':
      return <blockquote>{within(node, page)}</blockquote>
    case 'list':
      return list(node, page)
    case 'code':
      return (
        <pre>
          <code>{`${node.value}\n`}</code>
        </pre>
      )
    case 'inlineCode':
      return <code>{node.value}</code>
    case 'emphasis':
      return <em>{within(node, page)}</em>
    case 'strong':
      return <strong>{within(node, page)}</strong>
    case 'delete':
      return <del>{within(node, page)}</del>
    case 'break':
      return <br />
    case 'link':
      return <SafeLink href={node.url}>{within(node, { ...page, linked: true })}</SafeLink>
    case 'linkReference':
      return (
        <SafeLink href={page.links.get(node.identifier)?.url}>
          {within(node, { ...page, linked: true })}
        </SafeLink>
      )
    case 'image':
      return <SafeImage src={node.url} alt={node.alt ?? ''} />
    case 'imageReference':
      return <SafeImage src={page.links.get(node.identifier)?.url ?? ''} alt={node.alt ?? ''} />
    case 'table':
      return table(node, page)
    case 'footnoteReference':
      return noteMark(node, page)
    default:
      return null
  }
}

function references(text: string, { props }: Page): ReactNode {
  const { nameOf, me, task } = props
  return partsOf(text).map((part, at) => {
    if (typeof part === 'string') return part
    if ('task' in part) return <Fragment key={at}>{task?.(part.task) ?? part.task}</Fragment>
    return (
      <span key={at} className={part.mention === me ? 'mention me' : 'mention'}>
        @{nameOf?.(part.mention) ?? m.unknownPerson}
      </span>
    )
  })
}

// The page has a title of its own: headings of a text begin below it.
const HEADINGS = { 1: 'h3', 2: 'h4', 3: 'h5', 4: 'h6', 5: 'h6', 6: 'h6' } as const

function heading(node: Heading, page: Page): ReactNode {
  const Level = HEADINGS[node.depth]
  return <Level className={node.depth === 1 ? 'md-1' : undefined}>{within(node, page)}</Level>
}

function list(node: List, page: Page): ReactNode {
  const loose = node.spread || node.children.some(({ spread }) => spread)
  const items = node.children.map((one, at) => (
    <li key={at} className={typeof one.checked === 'boolean' ? 'task-list-item' : undefined}>
      {item(one, loose === true, page)}
    </li>
  ))
  return node.ordered ? <ol start={node.start ?? 1}>{items}</ol> : <ul>{items}</ul>
}

/** Its box comes before its first words; in a tight list a paragraph is not one (CommonMark 5.3). */
function item(node: ListItem, loose: boolean, page: Page): ReactNode {
  const box = typeof node.checked === 'boolean' ? tickBox(node, page) : undefined
  const [first] = node.children
  return (
    <>
      {first?.type !== 'paragraph' && box}
      {node.children.map((child, at) => {
        if (child.type !== 'paragraph') return <Fragment key={at}>{element(child, page)}</Fragment>
        const words = (
          <Fragment key={at}>
            {child === first && box}
            {within(child, page)}
          </Fragment>
        )
        return loose ? <p key={at}>{words}</p> : words
      })}
    </>
  )
}

function tickBox(node: ListItem, { props, boxes }: Page): ReactNode {
  const { source, onToggle, boxesOff } = props
  const index = boxes.count
  boxes.count += 1
  const offset = node.position?.start.offset
  const usable = onToggle !== undefined && offset !== undefined
  return (
    <input
      type="checkbox"
      aria-label={wordsOf(node).trim() || m.taskBox}
      checked={node.checked === true}
      disabled={!usable}
      title={usable ? undefined : boxesOff}
      onChange={() => usable && onToggle(index, toggled(source, offset))}
    />
  )
}

function table(node: Table, page: Page): ReactNode {
  const rows = node.children.map((row, at) => {
    const Cell = at === 0 ? 'th' : 'td'
    const cells = row.children.map((cell, column) => (
      <Cell key={column} style={{ textAlign: node.align?.[column] ?? undefined }}>
        {within(cell, page)}
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

function noteMark({ identifier }: FootnoteReference, { id, noted }: Page): ReactNode {
  if (!noted.includes(identifier)) noted.push(identifier)
  const number = noted.indexOf(identifier) + 1
  return (
    <sup>
      <a href={`#${id}-fn-${number}`} id={`${id}-fnref-${number}`}>
        {number}
      </a>
    </sup>
  )
}

/** What the notes of a text say, under it; each leads back to where it is first asked for. */
function notes(page: Page): ReactNode {
  const items: ReactNode[] = []
  // A note may ask for another, which then comes after it.
  for (let at = 0; at < page.noted.length; at += 1) {
    const note = page.notes.get(page.noted[at] ?? '')
    items.push(
      <li key={at} id={`${page.id}-fn-${at + 1}`}>
        {note && within(note, page)}
        <a href={`#${page.id}-fnref-${at + 1}`} aria-label={m.backToText}>
          ↩
        </a>
      </li>,
    )
  }
  if (items.length === 0) return null
  return (
    <section aria-label={m.notes}>
      <ol>{items}</ol>
    </section>
  )
}
