// The pages work without this script. It adds copy buttons, and on the start page the live signature.

for (const figure of document.querySelectorAll('figure.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', `Copy: ${figure.getAttribute('aria-label')}`)
  button.addEventListener('click', () => copy(figure.querySelector('code'), button))
  figure.append(button)
}

async function copy(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = 'Copied'
  } catch {
    // Without https there is no such clipboard; what is selected can be copied, if need be by hand.
    getSelection()?.selectAllChildren(code)
    button.textContent = document.execCommand('copy') ? 'Copied' : 'Selected'
  }
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 1500)
}

const signature = document.getElementById('signature')

// Web Crypto needs https; without it the example keeps the signature that the server rendered.
if (signature && globalThis.crypto.subtle) {
  const fields = ['body', 'secret'].map((id) => document.getElementById(id))
  for (const field of fields) {
    field.readOnly = false
    field.addEventListener('input', sign)
  }
  document.querySelector('.live').hidden = false

  async function sign() {
    const [body, secret] = fields.map(({ value }) => new TextEncoder().encode(value))
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    if (secret.length === 0) return signature.replaceChildren('')
    const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
    const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, body))
    signature.replaceChildren(bytes.toHex?.() ?? [...bytes].map(twoDigits).join(''))
  }
}

function twoDigits(byte) {
  return byte.toString(16).padStart(2, '0')
}
