// What Sigil calls itself, and the document database version that its clients are told: drivers and
// shells branch on that version, so it is one decision in one place.

export const productName = 'Sigil'

/** The release that the document protocol imitates, as a standalone server. */
export const referenceVersion = '7.0.15'
export const referenceVersionArray = [7, 0, 15, 0] as const
export const referenceCompatibilityVersion = '7.0'

/**
 * Wire versions of hello: 21 is the reference server's 7.0; drivers of today refuse a maximum below
 * 9.
 */
export const wireVersionMin = 0
export const wireVersionMax = 21
