// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @dev Contract wallets for tests: one that is as it should be, and those that a client might
/// bring.

/// @dev Its owner's plain signature is the wallet's.
contract OwnedWallet is IERC1271 {
    address public immutable holder;

    constructor(address holder_) {
        holder = holder_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address recovered, ECDSA.RecoverError failure, ) = ECDSA.tryRecoverCalldata(hash, signature);
        bool good = failure == ECDSA.RecoverError.NoError && recovered == holder;
        return good ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// @dev Takes any signature of any length.
contract YesWallet is IERC1271 {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return IERC1271.isValidSignature.selector;
    }
}

/// @dev Burns all the gas it is given.
contract BurningWallet is IERC1271 {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        for (uint256 i = 0; ; ++i) {}
        return IERC1271.isValidSignature.selector;
    }
}

/// @dev Answers as `answer` says, whatever is asked: the odd replies of broken or hostile wallets.
contract OddWallet {
    enum Answer {
        Revert,
        Nothing,
        FourBytes,
        DirtyWord,
        Megabyte,
        Panic,
        One
    }

    Answer private immutable _answer;

    constructor(Answer answer) {
        _answer = answer;
    }

    fallback() external {
        Answer answer = _answer;
        if (answer == Answer.Revert) revert("no");
        if (answer == Answer.Panic) assert(false);
        assembly ("memory-safe") {
            let free := mload(0x40)
            switch answer
            case 1 {
                return(free, 0)
            }
            case 2 {
                // The right four bytes, but not a word of 32.
                mstore(free, shl(224, 0x1626ba7e))
                return(free, 4)
            }
            case 3 {
                // The right four bytes with something behind them.
                mstore(free, or(shl(224, 0x1626ba7e), 1))
                return(free, 0x20)
            }
            case 4 {
                return(free, 0x100000)
            }
            default {
                mstore(free, 1)
                return(free, 0x20)
            }
        }
    }
}

/// @dev Tries to register a key of its own while its signature is looked at.
contract ReenteringWallet is IERC1271 {
    address private immutable _registry;
    bytes private _call;

    constructor(address registry, bytes memory call) {
        _registry = registry;
        _call = call;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        (bool done, ) = _registry.staticcall(_call);
        return done ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}

/// @dev Deploys an {OwnedWallet} at an address known beforehand, for signatures as ERC-6492 says.
contract WalletFactory {
    function deploy(address holder, bytes32 salt) external returns (address) {
        return address(new OwnedWallet{salt: salt}(holder));
    }

    function addressOf(address holder, bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(abi.encodePacked(type(OwnedWallet).creationCode, abi.encode(holder)));
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code));
        return address(uint160(uint256(hash)));
    }

    function refuse() external pure {
        revert("no");
    }

    function burn() external pure {
        for (uint256 i = 0; ; ++i) {}
    }
}
