import { createElement, createElementId } from './request-dom.js'

/**
 * Asks before a request changes data. Resolves to `send`, `dry-run`, or an empty text for neither.
 * Cancel has the focus, so that Enter pressed twice sends nothing.
 */
export async function confirmRequest({ method, url }, workspaceName, hasDryRun) {
  const id = createElementId()
  const button = (label, value, className = 'btn') => {
    const node = createElement('button', { type: 'button', className }, label)
    node.addEventListener('click', () => dialog.close(value))
    return node
  }
  const cancel = button('Cancel', '')
  cancel.autofocus = true
  const dialog = createElement(
    'dialog',
    { className: 'confirm', 'aria-labelledby': id },
    createElement('h2', { id }, 'Change data?'),
    createElement(
      'p',
      {},
      'This changes data in the workspace ',
      createElement('b', {}, workspaceName),
      '.',
    ),
    createElement('p', {}, createElement('code', {}, `${method} ${pathOf(url)}`)),
    createElement(
      'div',
      { className: 'choices' },
      cancel,
      ...(hasDryRun ? [button('Send as a dry run', 'dry-run')] : []),
      button('Send request', 'send', 'btn primary'),
    ),
  )
  document.body.append(dialog)
  dialog.showModal()
  await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }))
  dialog.remove()
  return dialog.returnValue
}

/** The path as the browser will send it: it removes parts such as `..`. */
const pathOf = (url) => new URL(url, location.origin).pathname
