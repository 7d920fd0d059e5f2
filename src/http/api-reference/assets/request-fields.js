import { createElement, createElementId } from './request-dom.js'
import { loadRecords, prefixOf, replaceIds } from './request-ids.js'

/** Up to so many query parameters are shown at once; more of them are folded. */
const MAX_OPEN_PARAMETERS = 3

/**
 * Creates the fields of an operation. `read` returns the request that they describe, or throws an
 * InvalidFieldError that names one of them.
 */
export async function createFields({ method, path, operation, parameters }, workspaceId) {
  const content = operation.requestBody?.content ?? {}
  const isUpload = 'multipart/form-data' in content
  const controls = await Promise.all(
    parameters
      .filter(({ name, in: place }) => !isFilledElsewhere(name, place, isUpload))
      .map((parameter) => createParameter(parameter, { method, path }, workspaceId)),
  )
  const inPlace = (place) => controls.filter(({ parameter }) => parameter.in === place)
  const body = isUpload
    ? createFileField()
    : content['application/json'] && (await createBody(operation, workspaceId))
  const queryFields = inPlace('query')
  const nodes = [
    ...inPlace('path').map(({ node }) => node),
    ...foldedFields('Query parameters', queryFields, queryFields.length <= MAX_OPEN_PARAMETERS),
    ...(body ? [body.node] : []),
    ...foldedFields('Headers', inPlace('header'), false),
  ]

  function read() {
    const headers = valuesOf(inPlace('header'))
    const query = new URLSearchParams(valuesOf(queryFields)).toString()
    const values = Object.fromEntries(valuesOf(inPlace('path')))
    const target = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]))
    return {
      method,
      url: target + (query && `?${query}`),
      headers: [...headers, ...(body?.headers() ?? [])],
      body: body?.read(),
    }
  }
  return { nodes, read }
}

/** A field whose value cannot be sent. */
export class InvalidFieldError extends Error {
  constructor(input, message) {
    super(message)
    this.input = input
  }
}

/** A dry run has a button of its own, and a form names the file that it uploads. */
const isFilledElsewhere = (name, place, isUpload) =>
  place === 'query' && (name === 'dry_run' || (isUpload && name === 'filename'))

async function createParameter(parameter, { method, path }, workspaceId) {
  const { name, in: place, required, schema } = parameter
  const id = createElementId()
  const example = String(
    parameter.example ?? schema.examples?.[0] ?? schema.default ?? SAMPLES[schema.format] ?? '',
  )
  const input = createInput(schema, { id, required, placeholder: example })
  const prefix = path.endsWith('/restore') ? 'restorable' : prefixOf(example)
  const namesRecord = prefix && schema.type === 'string' && place !== 'header'
  const records = namesRecord ? await loadRecords(workspaceId, prefix) : []
  const list = records.length > 0 && createSuggestions(input, records)
  // What is deleted is chosen, never suggested.
  if (place === 'path' && method !== 'DELETE') input.value = pathIdOf(records[0])
  const node = createElement('div', { className: 'input' }, labelOf(input, name, required), input)
  if (schema.type === 'array') node.append(createHint(input, listHint(schema)))
  if (list) node.append(list)
  return { parameter, input, node }
}

const SAMPLES = { 'date-time': '2026-03-31T09:00:00Z' }

function createInput({ type, enum: values, minimum, maximum, format }, properties) {
  const { id, required } = properties
  const choices = type === 'boolean' ? [true, false] : values
  if (choices) {
    const options = ['', ...choices].map((value) => new Option(value, value))
    return createElement('select', { id, required, className: 'field' }, ...options)
  }
  const base = { ...properties, className: 'field', autocomplete: 'off', spellcheck: false }
  if (type === 'integer')
    return createElement('input', { ...base, type: 'number', min: minimum, max: maximum })
  return createElement('input', { ...base, type: format === 'date' ? 'date' : 'text' })
}

const pathIdOf = (record) => record?.shortId ?? record?.id ?? ''

function createSuggestions(input, records) {
  const options = records.map((record) => new Option(record.label, pathIdOf(record)))
  const list = createElement('datalist', { id: createElementId() }, ...options)
  input.setAttribute('list', list.id)
  return list
}

const listHint = ({ items }) =>
  items?.enum ? `${items.enum.join(', ')}: separated by commas` : 'Separated by commas'

function createHint(input, text) {
  const hint = createElement('small', { id: createElementId() }, text)
  input.setAttribute('aria-describedby', hint.id)
  return hint
}

const labelOf = ({ id }, name, required, isCode = true) =>
  createElement(
    'label',
    { htmlFor: id },
    isCode ? createElement('code', {}, name) : name,
    required ? ' required' : '',
  )

/** Fields under a heading that opens them. */
function foldedFields(title, fields, open) {
  if (fields.length === 0) return []
  const summary = createElement('summary', {}, `${title} (${fields.length})`)
  const grid = createElement('div', { className: 'inputs' }, ...fields.map(({ node }) => node))
  return [createElement('details', { open }, summary, grid)]
}

/** The values that were filled in, as pairs; values of a list lose the spaces around commas. */
const valuesOf = (fields) =>
  fields
    .map(({ parameter: { name, schema }, input: { value } }) => [
      name,
      schema.type === 'array' ? value.split(',').map(trim).filter(Boolean).join(',') : trim(value),
    ])
    .filter(([, value]) => value !== '')

const trim = (text) => text.trim()

async function createBody({ requestBody }, workspaceId) {
  const { example, examples } = requestBody.content['application/json']
  const sample = example ?? Object.values(examples ?? {})[0]?.value ?? {}
  const text = JSON.stringify(await replaceIds(workspaceId, sample), undefined, 2)
  const input = createElement('textarea', {
    id: createElementId(),
    className: 'field',
    value: text,
    rows: Math.min(text.split('\n').length + 1, 16),
    spellcheck: false,
  })
  const title = requestBody.required ? 'Body' : 'Body, optional'
  const node = createElement('div', { className: 'input' }, labelOf(input, title, false, false))
  node.append(input)
  const hasBody = () => trim(input.value) !== ''
  return {
    node,
    headers: () => (hasBody() ? [['Content-Type', 'application/json']] : []),
    read() {
      if (!hasBody()) return undefined
      try {
        JSON.parse(input.value)
      } catch (error) {
        throw new InvalidFieldError(input, `The body is not valid JSON: ${error.message}`)
      }
      return input.value
    },
  }
}

function createFileField() {
  const input = createElement('input', {
    id: createElementId(),
    className: 'field',
    type: 'file',
    required: true,
  })
  const label = labelOf(input, 'File', true, false)
  return {
    node: createElement('div', { className: 'input' }, label, input),
    // The browser adds the content type, with the boundary of the form.
    headers: () => [],
    read() {
      const form = new FormData()
      form.append('file', input.files[0])
      return form
    },
  }
}
