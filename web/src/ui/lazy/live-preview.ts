import {
  type EditorState,
  type Extension,
  Facet,
  type Range,
  StateEffect,
  StateField,
} from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin } from '@codemirror/view'
import type { ListItem, Nodes, Parents, Root } from 'mdast'
import { getItemText, splitReferences, toAttachmentImage } from '../../lib/markdown/markdown.ts'
import type { MarkdownProps } from '../markdown/markdown.tsx'
import { parseMarkdown } from './parse-markdown.ts'
import {
  BulletWidget,
  CheckboxWidget,
  ImageWidget,
  MentionWidget,
  TableWidget,
} from './preview-widgets.tsx'

/** A longer text is parsed once nobody types for a moment: that takes longer than a key may. */
const MAX_SYNC_LENGTH = 10_000
const PARSE_DELAY_MS = 250

/** How the preview shows people; task ids are only marked, because their links need the screen. */
export type PreviewReferences = Pick<MarkdownProps, 'nameOf' | 'me'>

interface Preview {
  tree: Root | undefined
  /** Whether the tree is that of the text, not of an older one. */
  isCurrent: boolean
  hasFocus: boolean
  decorations: DecorationSet
  /** What the caret passes in one step. */
  atoms: DecorationSet
}

const setTree = StateEffect.define<Root | undefined>()
const setFocus = StateEffect.define<boolean>()

const references = Facet.define<() => PreviewReferences>()

const preview = StateField.define<Preview>({
  create: (state) =>
    decorate(
      state,
      { tree: parseShort(state), isCurrent: true, hasFocus: false },
      readReferences(state),
    ),
  update(previous, { state, docChanged, changes, selection, effects }) {
    let { tree, isCurrent, hasFocus } = previous
    let hasNews = selection !== undefined
    for (const effect of effects) {
      if (effect.is(setFocus)) hasFocus = effect.value
      if (effect.is(setTree)) [tree, isCurrent] = [effect.value, true]
      hasNews ||= effect.is(setFocus) || effect.is(setTree)
    }
    if (docChanged) {
      isCurrent = state.doc.length <= MAX_SYNC_LENGTH
      if (isCurrent) tree = parseShort(state)
    }
    if (!isCurrent) {
      const decorations = previous.decorations.map(changes)
      return { tree, isCurrent, hasFocus, decorations, atoms: previous.atoms.map(changes) }
    }
    if (!docChanged && !hasNews) return previous
    return decorate(state, { tree, isCurrent, hasFocus }, readReferences(state))
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ decorations }) => decorations),
    EditorView.atomicRanges.of((view) => view.state.field(field).atoms),
  ],
})

const readReferences = (state: EditorState): PreviewReferences =>
  state.facet(references)[0]?.() ?? {}

/**
 * Shows Markdown as it will be read while its source is edited: marks are hidden, images, tables,
 * checkboxes and people are shown, except where the caret is.
 */
export const createLivePreview = (getReferences: () => PreviewReferences): Extension => [
  references.of(getReferences),
  preview,
  EditorView.focusChangeEffect.of((_, hasFocus) => setFocus.of(hasFocus)),
  delayedParser,
  lineDirections,
]

const parseShort = (state: EditorState): Root | undefined =>
  state.doc.length <= MAX_SYNC_LENGTH ? parseMarkdown(state.sliceDoc()) : undefined

/** Parses a long text when it has been opened, and when it has changed. */
const delayedParser = ViewPlugin.define((view) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const schedule = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      view.dispatch({ effects: setTree.of(parseMarkdown(view.state.sliceDoc())) })
    }, PARSE_DELAY_MS)
  }
  if (view.state.doc.length > MAX_SYNC_LENGTH) schedule()
  return {
    update({ docChanged, state }) {
      if (docChanged && !state.field(preview).isCurrent) schedule()
    },
    destroy: () => clearTimeout(timer),
  }
})

const autoLine = Decoration.line({ attributes: { dir: 'auto' } })

/** Lays out each line by its first strong letter. */
const lineDirections = ViewPlugin.define(
  (view) => {
    const list = () => {
      const lines = view.viewportLineBlocks.map(({ from }) =>
        autoLine.range(view.state.doc.lineAt(from).from),
      )
      return Decoration.set(lines)
    }
    const plugin = {
      decorations: list(),
      update({ docChanged, viewportChanged }: { docChanged: boolean; viewportChanged: boolean }) {
        if (docChanged || viewportChanged) plugin.decorations = list()
      },
    }
    return plugin
  },
  { decorations: ({ decorations }) => decorations },
)

/** Collects the decorations of one text. */
interface PreviewDrawing {
  state: EditorState
  source: string
  references: PreviewReferences
  ranges: Range<Decoration>[]
  atoms: Range<Decoration>[]
  /** Whether the caret or the selection is at a part of the text. */
  isTouched: (from: number, to: number) => boolean
}

function decorate(
  state: EditorState,
  { tree, isCurrent, hasFocus }: Omit<Preview, 'decorations' | 'atoms'>,
  references: PreviewReferences,
): Preview {
  const drawing: PreviewDrawing = {
    state,
    source: state.sliceDoc(),
    references,
    ranges: [],
    atoms: [],
    isTouched: (from, to) =>
      hasFocus && state.selection.ranges.some((one) => one.from <= to && one.to >= from),
  }
  if (tree) drawChildren(tree, drawing)
  return {
    tree,
    isCurrent,
    hasFocus,
    decorations: Decoration.set(drawing.ranges, true),
    atoms: Decoration.set(drawing.atoms, true),
  }
}

function drawChildren(node: Parents, drawing: PreviewDrawing): void {
  for (const child of node.children) draw(child, drawing, node.type === 'root')
}

function draw(node: Nodes, drawing: PreviewDrawing, isTopLevel: boolean): void {
  const { source } = drawing
  const [from, to] = rangeOf(node)
  if (from >= to || to > source.length) return
  switch (node.type) {
    case 'heading':
      styleLines(drawing, from, to, `cm-heading cm-heading-${node.depth}`)
      hideOutside(node, drawing, isLineTouched(drawing, from, to))
      break
    case 'strong':
    case 'emphasis':
    case 'delete':
      style(drawing, from, to, `cm-${node.type}`)
      hideOutside(node, drawing, drawing.isTouched(from, to))
      break
    case 'inlineCode': {
      const fence = /^`+/.exec(source.slice(from, to))?.[0].length ?? 0
      style(drawing, from, to, 'cm-inline-code')
      if (drawing.isTouched(from, to)) break
      hide(drawing, from, from + fence)
      hide(drawing, to - fence, to)
      break
    }
    case 'link':
    case 'linkReference':
      style(drawing, from, to, 'cm-link')
      // An address without a text of its own is shown as it is.
      if (source[from] === '[') hideOutside(node, drawing, drawing.isTouched(from, to))
      break
    case 'image':
      drawImage(node.url, node.alt ?? '', [from, to], drawing)
      break
    case 'blockquote':
      styleLines(drawing, from, to, 'cm-quote')
      eachLine(drawing, from, to, (line) => {
        const marks = /^(?:\s{0,3}>[ \t]?)+/.exec(line.text)?.[0].length ?? 0
        if (!isLineTouched(drawing, line.from, line.to)) hide(drawing, line.from, line.from + marks)
      })
      break
    case 'listItem':
      drawListItem(node, drawing)
      break
    case 'code':
      styleLines(drawing, from, to, 'cm-code-block')
      break
    case 'thematicBreak':
      if (isLineTouched(drawing, from, to)) break
      styleLines(drawing, from, to, 'cm-rule')
      hide(drawing, from, to)
      break
    case 'html':
      style(drawing, from, to, 'cm-html')
      break
    case 'table':
      if (isTopLevel && !isLineTouched(drawing, from, to)) {
        const { state } = drawing
        const lines = [state.doc.lineAt(from).from, state.doc.lineAt(to).to] as const
        const widget = new TableWidget(source.slice(from, to), drawing.references)
        drawing.ranges.push(Decoration.replace({ widget, block: true }).range(...lines))
        return
      }
      styleLines(drawing, from, to, 'cm-table-source')
      break
    case 'text':
      drawReferences(from, source.slice(from, to), drawing)
      break
  }
  if ('children' in node) drawChildren(node, drawing)
}

function drawListItem(node: ListItem, drawing: PreviewDrawing): void {
  const { source } = drawing
  const [from] = rangeOf(node)
  const [all = '', marker = '', box] =
    /^([-*+]|\d{1,9}[.)])(?:[ \t]+\[([ \txX])\])?/.exec(source.slice(from, from + 20)) ?? []
  const to = from + all.length
  alignLines(drawing, from, to)
  if (node.checked === true || node.checked === false) {
    if (node.checked) style(drawing, to, rangeOf(node.children[0] ?? node)[1], 'cm-done')
    if (box === undefined || drawing.isTouched(from, to - 1)) return
    const widget = new CheckboxWidget(
      node.checked,
      nameReferences(getItemText(node), drawing).trim(),
    )
    drawing.ranges.push(Decoration.replace({ widget }).range(from, to))
  } else if (/^\d/.test(marker)) style(drawing, from, from + marker.length, 'cm-marker')
  else if (marker !== '' && !drawing.isTouched(from, from + 1))
    drawing.ranges.push(Decoration.replace({ widget: new BulletWidget() }).range(from, from + 1))
}

/** About the width of a character of a mark. */
const MARK_WIDTH_EM = 0.32

/** The lines that a long item wraps into begin below its words. */
function alignLines({ state, ranges }: PreviewDrawing, from: number, to: number): void {
  const line = state.doc.lineAt(from)
  const isFirst = line.text.slice(0, from - line.from).trim() === ''
  if (!isFirst) return
  const width = `${((to + 1 - line.from) * MARK_WIDTH_EM).toFixed(2)}em`
  const style = `padding-inline-start: ${width}; text-indent: -${width}`
  ranges.push(Decoration.line({ attributes: { style } }).range(line.from))
}

const nameReferences = (text: string, { references }: PreviewDrawing): string =>
  splitReferences(text)
    .map((part) => {
      if (typeof part === 'string') return part
      return 'task' in part ? part.task : `@${references.nameOf?.(part.mention) ?? ''}`
    })
    .join('')

/** An image is also shown while its source is edited, below that. */
function drawImage(
  url: string,
  alt: string,
  [from, to]: [number, number],
  drawing: PreviewDrawing,
): void {
  const image = toAttachmentImage(url, location.origin)
  const isTouched = drawing.isTouched(from, to)
  style(drawing, from, to, 'cm-link')
  if (image === undefined) {
    if (isTouched || drawing.source[to - 1] !== ')') return
    hide(drawing, from, from + 2)
    const end = drawing.source.indexOf('](', from)
    if (alt !== '' && end > 0 && end < to) hide(drawing, end, to)
    return
  }
  const widget = new ImageWidget(image, alt)
  drawing.ranges.push(
    isTouched
      ? Decoration.widget({ widget, side: 1 }).range(to)
      : Decoration.replace({ widget }).range(from, to),
  )
}

/** People are always shown by name, because nobody can read their ids. */
function drawReferences(start: number, text: string, drawing: PreviewDrawing): void {
  let from = start
  for (const part of splitReferences(text)) {
    if (typeof part === 'string') from += part.length
    else if ('task' in part) {
      style(drawing, from, from + part.task.length, 'cm-link')
      from += part.task.length
    } else {
      const to = from + part.mention.length + '<@>'.length
      const widget = new MentionWidget(part.mention, drawing.references)
      const shown = Decoration.replace({ widget }).range(from, to)
      drawing.ranges.push(shown)
      drawing.atoms.push(shown)
      from = to
    }
  }
}

/** Hides the marks before and after the children of a node, unless they are edited. */
function hideOutside(node: Parents, drawing: PreviewDrawing, isTouched: boolean): void {
  const [first, last] = [node.children[0], node.children.at(-1)]
  if (isTouched || !first || !last) return
  hide(drawing, rangeOf(node)[0], rangeOf(first)[0])
  // The underline of a heading is a line of its own.
  if (node.type !== 'heading' || drawing.source[rangeOf(node)[0]] === '#')
    hide(drawing, rangeOf(last)[1], rangeOf(node)[1])
}

const hidden = Decoration.replace({})

function hide({ ranges }: PreviewDrawing, from: number, to: number): void {
  if (from < to) ranges.push(hidden.range(from, to))
}

function style({ ranges }: PreviewDrawing, from: number, to: number, className: string): void {
  if (from < to) ranges.push(Decoration.mark({ class: className }).range(from, to))
}

function styleLines(drawing: PreviewDrawing, from: number, to: number, className: string): void {
  eachLine(drawing, from, to, (line) =>
    drawing.ranges.push(Decoration.line({ class: className }).range(line.from)),
  )
}

function eachLine(
  { state: { doc } }: PreviewDrawing,
  from: number,
  to: number,
  run: (line: { from: number; to: number; text: string }) => void,
): void {
  const last = doc.lineAt(to).number
  for (let number = doc.lineAt(from).number; number <= last; number += 1) run(doc.line(number))
}

const isLineTouched = ({ state, isTouched }: PreviewDrawing, from: number, to: number): boolean =>
  isTouched(state.doc.lineAt(from).from, state.doc.lineAt(to).to)

const rangeOf = ({ position }: Nodes): [from: number, to: number] => [
  position?.start.offset ?? 0,
  position?.end.offset ?? 0,
]
