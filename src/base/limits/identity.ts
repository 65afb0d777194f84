// Bounds of identity: login and sign-in, keys, service users, rights and the audit. A credential
// that breaks one gets the error of a wrong credential, unless another is named.

import { KiB } from '../units.js'

// Login

/** SCRAM iterations of keys; the contract has the same number (docs/contracts.md). */
export const scramIterations = 4_096
/** SCRAM iterations for a service user's password (MongoDB's number). */
export const userScramIterations = 15_000
/** Lifetime of a SCRAM conversation: AuthenticationFailed. */
export const conversationMsMax = 30_000
/**
 * Bytes of a credential or a login payload. No valid one is longer: it is refused before it is
 * decoded or hashed (AuthenticationFailed), which takes 25 ms for 15 MB.
 */
export const credentialBytesMax = 16 * KiB
/**
 * Failed logins that are answered at once: of an address, and of an address with an account. Later
 * answers wait: the first delay doubles up to the last one, milliseconds.
 */
export const loginFailuresFreeOfAddress = 20
export const loginFailuresFreeOfAccount = 3
export const loginDelayMs = 100
export const loginDelayMsMax = 10_000
/** Failures are forgotten this long after the last one, milliseconds. */
export const loginFailuresMs = 15 * 60_000
/**
 * Wrong keys of one address that are compared with the operator's key, in this many milliseconds on
 * all listeners: then IngressRequestRateLimitExceeded. It allows for typing errors; 29,000 guesses
 * a day cannot find a key.
 */
export const wrongKeysMax = 20
export const wrongKeysMs = 60_000
/** A shorter operator key gets a warning, and is refused on a network: InvalidOptions. */
export const operatorKeyCharsMin = 32

// Sign-in of a wallet

/** Body of a request before authentication, bytes: message and signature as JSON. */
export const signInBodyBytesMax = 64 * KiB
/** A sign-in message, bytes, checked before it is parsed: BadValue. */
export const signInMessageBytesMax = 4 * KiB
/**
 * Sign-in nonce: characters that Sigil makes, least and most accepted, lifetime, nonces of a
 * browser. An unknown or old one is Unauthenticated.
 */
export const nonceChars = 22
export const nonceCharsMin = 8
export const nonceCharsMax = 64
export const nonceMs = 5 * 60_000
export const noncesPerSessionMax = 5
/**
 * Clock difference to a wallet's machine, and the age of a sign-in message, milliseconds:
 * Unauthenticated.
 */
export const signInSkewMs = 60_000
export const signInAgeMsMax = 10 * 60_000
/** Bytes of a signature: BadValue. That of a contract wallet may include code that deploys it. */
export const signatureBytesMax = 16 * KiB
/** Gas of a call into a client's contract: 0.2 s in the EVM of Sigil, and on a remote chain. */
export const signatureGasLocal = 1_500_000
export const signatureGasRemote = 5_000_000
/** A session ends this long after its sign-in, active or not (docs/sign-in.md). */
export const sessionMs = 24 * 60 * 60_000
/** Longest session cookie that is read, characters; Sigil's have about 250. */
export const sessionCookieCharsMax = 1_024
/** Time window of HOMES_PER_HOUR, milliseconds. */
export const homesWindowMs = 3_600_000

// Keys

/** Active keys of a wallet, on-chain and issued together: KeyConflict (docs/keys.md). */
export const walletKeysMax = 10
/** Label of a key, characters: BadValue. */
export const keyLabelCharsMax = 100
/** Highest rate limit of a key, requests a minute: BadValue. */
export const keyRateLimitMax = 1_000_000
/** Cached keys with a known owner and proof; keys whose rate is counted. */
export const provenKeysMax = 100_000
/** On-chain keys of a wallet that a listing reads, newest first. */
export const listedKeysMax = 1_000
/** Days for which the use of keys is kept, and which a client may request: BadValue. */
export const keyUseDaysMax = 400
/** Days of the overview, and of one key by default. */
export const keyUseDays = 7
/** Keys that an overview lists: the most used. */
export const keyUseListedMax = 1_000

// Service users

/** Service users in all, BadValue: usersInfo returns them in one reply. */
export const usersMax = 1_000
/** Name of a service user, bytes, BadValue: logs and each entry of currentOp contain it. */
export const userNameBytesMax = 128
/** `customData` of a service user, bytes, BadValue: that of usersMax users fits one reply. */
export const userCustomDataBytesMax = 4_096
/**
 * Service user's password on a network, characters, BadValue: a recorded SCRAM exchange allows
 * guessing.
 */
export const userPasswordCharsMin = 12

// Rights and the audit

/** Addresses on the whitelist, which is returned whole, in a reply of about 5 MB: BadValue. */
export const whitelistAddressesMax = 100_000
/** Roles of one collection or graph, BadValue: every command decodes them with its descriptor. */
export const rolesMax = 1_000
/** Keys, and roles, that a restore prints individually. */
export const rightsListedMax = 20
/** Entries of the audit, which drops the oldest, and characters of a text in one. */
export const auditEntriesMax = 100_000
export const auditTextMax = 256

// The operator's page

/**
 * The one-time code that starts a session of the operator's page: lifetime in milliseconds, and
 * wrong codes that end it (Unauthenticated).
 */
export const operatorCodeMs = 5 * 60_000
export const operatorCodeTriesMax = 5
/** Lifetime of such a session, and of its permission to make changes, milliseconds. */
export const operatorSessionMs = 8 * 60 * 60_000
export const operatorUnlockMs = 10 * 60_000
/** Such sessions at the same time: the oldest one ends. */
export const operatorSessionsMax = 32
/** Gateways of one store tell each other their counts this often, and of so many names at most. */
export const settleMs = 1_000
export const settledNamesMax = 5_000
/** They tell all connections and subscriptions anew after so many times: a message may be lost. */
export const levelTurns = 30

/** Accounts whose usage one reply lists. */
export const accountsAtOnce = 100
