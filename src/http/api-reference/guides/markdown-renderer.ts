import type { List, Nodes, Root, Table, TableRow } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { codeBlock, definitionList, type Html, html, proseBlock, subheading } from '../html/html.ts'
import { guidePath } from './guide-files.ts'

/** What a code block is called for screen readers, by its language. */
const CODE_LABELS: Readonly<Record<string, string>> = {
  sh: 'command',
  json: 'JSON',
  http: 'HTTP message',
  text: 'output',
}

const EXTENSIONS = [gfm()]
const MDAST_EXTENSIONS = [gfmFromMarkdown()]

/** Parses Markdown as GitHub does. */
export const parseDocument = (text: string): Root =>
  fromMarkdown(text, { extensions: EXTENSIONS, mdastExtensions: MDAST_EXTENSIONS })

/** Renders Markdown with these elements only; HTML in it is refused. */
export class MarkdownRenderer {
  readonly #baseUrl: string
  #heading = ''

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  /** Renders blocks below a heading, which names their code blocks. */
  renderBlocks(nodes: readonly Nodes[], heading: string): Html {
    this.#heading = heading
    return html`${nodes.map((node) => this.#render(node))}`
  }

  /**
   * Renders a part of the reference: each table is a definition list, whose rows have the name of a field or a
   * code as their head.
   */
  renderReference(text: string, heading: string): Html {
    this.#heading = heading
    return html`${parseDocument(text).children.map((node) => {
      if (node.type === 'table') return this.#renderRows(node)
      if (node.type === 'heading') return subheading(textOf(node))
      return proseBlock(this.#render(node))
    })}`
  }

  #render(node: Nodes): Html {
    switch (node.type) {
      case 'text':
        return html`${this.#fillIn(node.value)}`
      case 'inlineCode':
        return html`<code>${this.#fillIn(node.value)}</code>`
      case 'emphasis':
        return html`<em>${this.#children(node)}</em>`
      case 'strong':
        return html`<b>${this.#children(node)}</b>`
      case 'break':
        return html`<br>`
      case 'link':
        return this.#renderLink(this.#fillIn(node.url), this.#children(node))
      case 'paragraph':
        return html`<p>${this.#children(node)}</p>\n`
      case 'heading':
        return this.#renderHeading(textOf(node), this.#children(node))
      case 'code':
        return this.#renderCode(node.value, node.lang ?? 'text')
      case 'list':
        return this.#renderList(node)
      case 'blockquote':
        return html`<blockquote>${this.#children(node)}</blockquote>\n`
      case 'table':
        return this.#renderTable(node)
      default:
        throw new Error(`The docs have no ${node.type}: see ${this.#heading}`)
    }
  }

  #children(node: { children: readonly Nodes[] } | undefined): Html[] {
    return node?.children.map((child) => this.#render(child)) ?? []
  }

  #fillIn(text: string): string {
    return text.replaceAll('{{base_url}}', this.#baseUrl)
  }

  #renderHeading(title: string, text: Html[]): Html {
    const id = headingId(title)
    this.#heading = title
    return html`<h3 id="${id}"><a href="#${id}">${text}</a></h3>\n`
  }

  #renderCode(text: string, language: string): Html {
    const label = `${this.#heading}: ${CODE_LABELS[language] ?? language}`
    return codeBlock(this.#fillIn(text), label)
  }

  /** Documents link to each other by file name, so that the links also work in the repository. */
  #renderLink(url: string, text: Html[]): Html {
    const [, slug, hash = ''] = /^(?:guides\/)?([\w-]+)\.md(#.*)?$/.exec(url) ?? []
    if (slug !== undefined) return html`<a href="${guidePath(slug)}${hash}">${text}</a>`
    if (/^(https?:|\/|#)/.test(url)) return html`<a href="${url}">${text}</a>`
    // It leads to a file of the repository, which this server does not serve.
    return html`${text}`
  }

  #renderList({ ordered, children }: List): Html {
    const items = children.map(
      (item) =>
        html`<li>${item.children.map((child) =>
          child.type === 'paragraph' ? this.#children(child) : this.#render(child),
        )}</li>\n`,
    )
    return ordered ? html`<ol>${items}</ol>\n` : html`<ul>${items}</ul>\n`
  }

  #renderTable({ children: [head, ...rows] }: Table): Html {
    const headings = head?.children.map(
      (cell) => html`<th scope="col">${this.#children(cell)}</th>`,
    )
    const isHeadless = head?.children.every((cell) => cell.children.length === 0)
    return html`<div class="table" role="region" aria-label="${this.#heading}" tabindex="0"><table>${
      !isHeadless && html`<thead><tr>${headings}</tr></thead>`
    }<tbody>${rows.map(
      (row) =>
        html`<tr>${row.children.map((cell) => html`<td>${this.#children(cell)}</td>`)}</tr>\n`,
    )}</tbody></table></div>\n`
  }

  #renderRows({ children: [head, ...rows] }: Table): Html {
    const isCodes = head !== undefined && textOf(head).startsWith('Code ')
    return definitionList(rows.map((row) => (isCodes ? this.#codeRow(row) : this.#fieldRow(row))))
  }

  /** A code has an anchor, to which `doc_url` of an error leads. */
  #codeRow({ children: [name, meaning, remedy] }: TableRow) {
    const code = name ? textOf(name) : ''
    return {
      id: code,
      name: html`<a href="#${code}"><code>${code}</code></a>`,
      text: html`<span>${this.#children(meaning)}</span><span class="say">${this.#children(remedy)}</span>`,
    }
  }

  /** A field whose name is followed by "(required)" has the word in the gutter. */
  #fieldRow({ children: [name, kind, meaning] }: TableRow) {
    const [field, ...rest] = name?.children ?? []
    const path = field ? textOf(field).split(/(?=[.[])/) : []
    const isRequired = rest.some((node) => textOf(node).includes('(required)'))
    const required = path.length > 1 ? 'required' : html`<b>required</b>`
    return {
      gutter: isRequired && required,
      // A path such as `operations[op=create].data` may be broken.
      name: html`<code>${path.map((part, at) => html`${at > 0 && html`<wbr>`}${part}`)}</code>`,
      text: html`<span class="kind">${this.#children(kind)}</span>${
        meaning && meaning.children.length > 0
          ? html`<span class="say">${this.#children(meaning)}</span>`
          : null
      }`,
    }
  }
}

/** The text of a node without its markup. */
export function textOf(node: Nodes): string {
  if ('value' in node) return node.value
  if (!('children' in node)) return ''
  // Cells and items are not separated by text of their own.
  const isTabular = ['list', 'listItem', 'table', 'tableRow'].includes(node.type)
  return node.children.map(textOf).join(isTabular ? ' ' : '')
}

/** The anchor of a heading, as GitHub writes it. */
export const headingId = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-')
