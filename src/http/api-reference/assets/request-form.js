import { confirmRequest } from './request-confirmation.js'
import { createElement, createElementId } from './request-dom.js'
import { loadSession } from './request-fetch.js'
import { createFields, InvalidFieldError } from './request-fields.js'
import { forgetRecords, rememberRecord } from './request-ids.js'
import { loadOperation } from './request-operation.js'
import { describeReply, replyNodes, sendRequest } from './request-reply.js'

/** Opens or closes the form of an operation below its button. */
export async function toggleRequestForm(button) {
  const isOpen = button.getAttribute('aria-expanded') === 'true'
  const panel = button.nextElementSibling ?? createPanel(button)
  button.setAttribute('aria-expanded', String(!isOpen))
  panel.hidden = isOpen
  if (!isOpen && !panel.querySelector('form')) await fillPanel(panel, button.dataset.operation)
}

function createPanel(button) {
  const panel = createElement('div', { className: 'panel', id: createElementId() })
  button.setAttribute('aria-controls', panel.id)
  button.after(panel)
  return panel
}

/** Shows the form to a person who is signed in; a retry or the way to the sign-in otherwise. */
async function fillPanel(panel, operationId) {
  const status = createElement('p', { role: 'status' }, 'Loading…')
  panel.replaceChildren(status)
  try {
    const session = await loadSession()
    if (session) {
      const call = await loadOperation(operationId)
      panel.replaceChildren(...(await createForm(call, session)))
    } else {
      status.replaceChildren(...signInNotice())
      fillAfterSignIn(status, panel, operationId)
    }
  } catch (error) {
    const retry = createElement('button', { type: 'button', className: 'btn' }, 'Try again')
    retry.addEventListener('click', () => fillPanel(panel, operationId))
    status.textContent = error.message
    panel.append(retry)
  }
}

/** The sign-in opens in another tab, so that what was filled in is not lost. */
const signInNotice = () => [
  'You are not signed in. ',
  createElement('a', { href: '/sign-in', target: '_blank' }, 'Sign in'),
  ' in another tab, then come back to send requests from this page.',
]

function fillAfterSignIn(status, panel, operationId) {
  const update = async () => {
    if (document.visibilityState !== 'visible') return
    document.removeEventListener('visibilitychange', update)
    if (panel.contains(status)) await fillPanel(panel, operationId)
  }
  document.addEventListener('visibilitychange', update)
}

async function createForm(call, session) {
  const { method, operation, parameters } = call
  const isWrite = method !== 'GET'
  const hasDryRun = parameters.some(({ name }) => name === 'dry_run')
  const { nodes, read } = await createFields(call, session.workspace.id)
  const label = isWrite ? 'Send request…' : 'Send request'
  const submit = createElement('button', { type: 'submit', className: 'btn primary' }, label)
  const form = createElement('form', { ariaLabel: operation.summary }, ...nodes, submit)
  const who = createElement('p', { className: 'who' }, ...describeSession(session))
  const status = createElement('p', { role: 'status' })
  const reply = createElement('div', { className: 'reply' })
  let isBusy = false

  async function submitForm() {
    const request = read()
    let isDryRun = false
    let workspace
    if (isWrite) {
      const current = await loadSession()
      if (!current) return status.replaceChildren(...signInNotice())
      who.replaceChildren(...describeSession(current))
      workspace = current.workspace
      const choice = await confirmRequest(request, workspace.name, hasDryRun)
      if (!choice) return
      isDryRun = choice === 'dry-run'
      // Another tab may have switched workspaces, or signed in somebody else, meanwhile.
      const latest = await loadSession()
      if (latest?.id !== current.id || latest.workspace.id !== workspace.id)
        throw new Error('You are signed in differently now. Nothing was sent.')
    }
    status.textContent = 'Sending…'
    const result = await sendRequest(isDryRun ? withDryRun(request) : request)
    const { response, json } = result
    if (response.status === 401) return status.replaceChildren(...signInNotice())
    if (response.status === 201 && !isDryRun) rememberRecord(workspace.id, json)
    if (response.status === 204 && !isDryRun) forgetRecords(workspace.id)
    status.textContent = describeReply(result, isDryRun)
    reply.replaceChildren(...replyNodes(result))
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isBusy) return
    isBusy = true
    submit.ariaDisabled = 'true'
    status.textContent = ''
    reply.replaceChildren()
    for (const input of form.querySelectorAll('[aria-invalid]')) input.ariaInvalid = null
    try {
      await submitForm()
    } catch (error) {
      status.textContent = error.message
      if (error instanceof InvalidFieldError) {
        error.input.ariaInvalid = 'true'
        error.input.focus()
      }
    } finally {
      isBusy = false
      submit.ariaDisabled = null
    }
  })
  return [who, form, status, reply]
}

const describeSession = ({ user, workspace }) => [
  `You are signed in as ${user.name}, in the workspace `,
  createElement('b', {}, workspace.name),
  '.',
]

const withDryRun = (request) => ({
  ...request,
  url: `${request.url}${request.url.includes('?') ? '&' : '?'}dry_run=true`,
})
