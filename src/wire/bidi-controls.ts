/**
 * Embeddings, overrides and isolates of the Unicode bidirectional algorithm. They are invisible and
 * reverse the order of what is shown: `invoice\u202efdp.exe` looks like `invoiceexe.pdf`. Texts in
 * Arabic or Hebrew need none of them; the marks U+200E, U+200F and U+061C stay allowed.
 */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/

export const hasBidiControls = (text: string): boolean => BIDI_CONTROLS.test(text)

/** The text with `_` for each control, as browsers name downloads. */
export const replaceBidiControls = (text: string): string =>
  text.replace(new RegExp(BIDI_CONTROLS, 'g'), '_')
