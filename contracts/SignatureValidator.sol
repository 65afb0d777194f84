// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title Signature validator
/// @notice Answers whether a signature is an account's: a plain one (ECDSA), a contract wallet's
/// (ERC-1271) or that of a contract wallet which is not deployed yet (ERC-6492).
/// @dev Never deployed: an `eth_call` without a target runs this creation code, and what the constructor
/// returns is one byte, 1 or 0, in place of the code. A signature may name a factory and what to
/// call it with, and that call is the client's choice. So this code belongs in a call whose gas is
/// capped and whose state is dropped, and never in a transaction. A revert, out of gas included, means no.
contract SignatureValidator {
    /// @dev The last 32 bytes of a signature wrapped as ERC-6492 says.
    bytes32 private constant WRAPPED = 0x6492649264926492649264926492649264926492649264926492649264926492;

    constructor(address signer, bytes32 hash, bytes memory signature) {
        bool valid = _isWrapped(signature)
            ? _checkWrapped(signer, hash, signature)
            : _check(signer, hash, signature);
        assembly ("memory-safe") {
            mstore(0x00, valid)
            return(0x1f, 0x01)
        }
    }

    /// @dev The inner signature is tried first where the account has code: a deployed wallet's wrapped
    /// signature goes on to be good. The factory is called when it has none, or when the wallet says no
    /// (ERC-6492 lets the call prepare a deployed wallet, too). Whether that call went well shows in what
    /// the account answers afterwards.
    function _checkWrapped(address signer, bytes32 hash, bytes memory wrapped) private returns (bool) {
        assembly ("memory-safe") {
            mstore(wrapped, sub(mload(wrapped), 0x20))
        }
        (address factory, bytes memory call, bytes memory signature) = abi.decode(
            wrapped,
            (address, bytes, bytes)
        );
        if (signer.code.length > 0 && _check(signer, hash, signature)) return true;
        LowLevelCall.callNoReturn(factory, call);
        return signer.code.length > 0 && _check(signer, hash, signature);
    }

    /// @dev ECDSA first: no key recovers to a contract's address, and an account that
    /// delegates its code (EIP-7702) goes on to sign with its own key.
    function _check(address signer, bytes32 hash, bytes memory signature) private view returns (bool) {
        (address recovered, ECDSA.RecoverError failure, ) = ECDSA.tryRecover(hash, signature);
        if (failure == ECDSA.RecoverError.NoError && recovered == signer) return true;
        if (signer.code.length == 0) return false;
        return SignatureChecker.isValidERC1271SignatureNow(signer, hash, signature);
    }

    function _isWrapped(bytes memory signature) private pure returns (bool wrapped) {
        if (signature.length < 32) return false;
        assembly ("memory-safe") {
            wrapped := eq(mload(add(signature, mload(signature))), WRAPPED)
        }
    }
}
