// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title Key registry
/// @notice Every wallet keeps a numbered list of API keys here: of each key a commitment and the two
/// SCRAM-SHA-256 verifiers, never the key. A record never changes but for the time it was revoked.
/// @dev What this contract deliberately has not: an upgrade path, a pause, anything that takes ether, and
/// any way for the owner or the gas station to touch a wallet's keys. Commitments are not unique:
/// an account that sees a pending registration may copy it as its own, and readers tell
/// the two apart by computing StoredKey from the key that is presented and the salt of the record
/// (see {keySalt}).
contract KeyRegistry is EIP712, Nonces, Ownable2Step {
    /// @dev Three slots and one that holds both times: what the salt needs is known, so it is not stored.
    struct Key {
        bytes32 commitment;
        bytes32 storedKey;
        bytes32 serverKey;
        uint64 createdAt;
        uint64 revokedAt;
    }

    /// @dev One slot.
    struct Account {
        uint64 nextIndex;
        uint64 activeCount;
    }

    /// @notice How many keys a wallet may have active at once. Revoked ones do not count.
    uint256 public constant MAX_ACTIVE = 10;

    /// @notice How many records {firstActiveIndex} looks at in one call, so that a call has a known price.
    uint256 public constant MAX_SCAN = 250;

    bytes32 private constant REGISTER_TYPEHASH =
        keccak256(
            "RegisterKey(address wallet,uint256 index,bytes32 commitment,bytes32 storedKey,bytes32 serverKey,uint256 nonce,uint256 deadline)"
        );
    bytes32 private constant REVOKE_TYPEHASH =
        keccak256("RevokeKey(address wallet,uint256 index,uint256 nonce,uint256 deadline)");
    bytes32 private constant ROTATE_TYPEHASH =
        keccak256(
            "RotateKey(address wallet,uint256 oldIndex,uint256 newIndex,bytes32 commitment,bytes32 storedKey,bytes32 serverKey,uint256 nonce,uint256 deadline)"
        );

    /// @notice The one account that may bring signed requests of wallets; zero when there is none.
    address public gasStation;

    /// @notice The account that the owner proposed as gas station and that has not accepted yet.
    address public pendingGasStation;

    mapping(address wallet => mapping(uint256 index => Key)) private _keys;
    mapping(address wallet => Account) private _accounts;

    event KeyRegistered(
        address indexed wallet,
        uint256 indexed index,
        bytes32 indexed commitment,
        bytes32 storedKey,
        bytes32 serverKey
    );
    event KeyRevoked(address indexed wallet, uint256 indexed index, bytes32 indexed commitment);
    event KeyRotated(address indexed wallet, uint256 indexed oldIndex, uint256 indexed newIndex);
    event GasStationProposed(address indexed proposed);
    event GasStationChanged(address indexed previous, address indexed current);

    /// @dev A new key takes the wallet's next index, `expected`, and no other.
    error BadIndex(uint256 index, uint256 expected);
    /// @dev The wallet has {MAX_ACTIVE} active keys already.
    error TooManyKeys(address wallet);
    /// @dev A commitment, StoredKey or ServerKey is zero.
    error EmptyValue();
    /// @dev The key was never registered, or is revoked already.
    error NotActive(address wallet, uint256 index);
    /// @dev The deadline of a signed request lies before the block's time.
    error Expired(uint256 deadline);
    /// @dev The signature is not the wallet's, or not over this request for this contract on this chain.
    error BadSignature(address wallet);
    error NotGasStation(address caller);
    error NotPendingGasStation(address caller);
    /// @dev Without an owner a lost gas station could never be replaced.
    error RenounceForbidden();

    /// @dev Reached only by the gas station: a third party that sees a signed request pending cannot bring
    /// it first. The nonce is used up before the signature is looked at; a failure rolls both back.
    modifier relayed(address wallet, uint256 nonce, uint256 deadline) {
        if (msg.sender != gasStation) revert NotGasStation(msg.sender);
        if (block.timestamp > deadline) revert Expired(deadline);
        _useCheckedNonce(wallet, nonce);
        _;
    }

    /// @param initialOwner may propose another gas station; nothing else.
    /// @param initialGasStation sends signed requests; zero for none at first.
    constructor(
        address initialOwner,
        address initialGasStation
    ) EIP712("Sigil Key Registry", "1") Ownable(initialOwner) {
        gasStation = initialGasStation;
        emit GasStationChanged(address(0), initialGasStation);
    }

    // ------------------------------------------------------------------ a wallet's own transactions

    /// @notice Registers the caller's next key.
    function registerKey(uint256 index, bytes32 commitment, bytes32 storedKey, bytes32 serverKey) external {
        _register(msg.sender, index, commitment, storedKey, serverKey);
    }

    /// @notice Revokes one of the caller's keys for ever.
    function revokeKey(uint256 index) external {
        _revoke(msg.sender, index);
    }

    /// @notice Revokes a key of the caller and registers the next one, at the cap too.
    function rotateKey(
        uint256 oldIndex,
        uint256 newIndex,
        bytes32 commitment,
        bytes32 storedKey,
        bytes32 serverKey
    ) external {
        _rotate(msg.sender, oldIndex, newIndex, commitment, storedKey, serverKey);
    }

    // ---------------------------------------------------------- the same, signed, by the gas station

    /// @notice {registerKey} for `wallet`, which signed `RegisterKey`.
    function registerKeyMeta(
        address wallet,
        uint256 index,
        bytes32 commitment,
        bytes32 storedKey,
        bytes32 serverKey,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external relayed(wallet, nonce, deadline) {
        bytes memory request = abi.encode(
            REGISTER_TYPEHASH,
            wallet,
            index,
            commitment,
            storedKey,
            serverKey,
            nonce,
            deadline
        );
        _requireSigned(wallet, request, signature);
        _register(wallet, index, commitment, storedKey, serverKey);
    }

    /// @notice {revokeKey} for `wallet`, which signed `RevokeKey`.
    function revokeKeyMeta(
        address wallet,
        uint256 index,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external relayed(wallet, nonce, deadline) {
        bytes memory request = abi.encode(REVOKE_TYPEHASH, wallet, index, nonce, deadline);
        _requireSigned(wallet, request, signature);
        _revoke(wallet, index);
    }

    /// @notice {rotateKey} for `wallet`, which signed `RotateKey`.
    function rotateKeyMeta(
        address wallet,
        uint256 oldIndex,
        uint256 newIndex,
        bytes32 commitment,
        bytes32 storedKey,
        bytes32 serverKey,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external relayed(wallet, nonce, deadline) {
        bytes memory request = abi.encode(
            ROTATE_TYPEHASH,
            wallet,
            oldIndex,
            newIndex,
            commitment,
            storedKey,
            serverKey,
            nonce,
            deadline
        );
        _requireSigned(wallet, request, signature);
        _rotate(wallet, oldIndex, newIndex, commitment, storedKey, serverKey);
    }

    // ------------------------------------------------------------------------------ the gas station

    /// @notice Proposes another gas station, which then has to accept; zero takes a proposal back.
    function proposeGasStation(address proposed) external onlyOwner {
        pendingGasStation = proposed;
        emit GasStationProposed(proposed);
    }

    /// @notice The proposed account takes over: no account becomes gas station without its consent.
    function acceptGasStation() external {
        if (msg.sender != pendingGasStation) revert NotPendingGasStation(msg.sender);
        emit GasStationChanged(gasStation, msg.sender);
        gasStation = msg.sender;
        delete pendingGasStation;
    }

    /// @notice Always reverts: see {RenounceForbidden}.
    function renounceOwnership() public view override onlyOwner {
        revert RenounceForbidden();
    }

    // ---------------------------------------------------------------------------------------- views

    /// @notice Whether a key was registered and is not revoked. Reads one slot.
    function isKeyActive(address wallet, uint256 index) external view returns (bool) {
        return _isActive(_keys[wallet][index]);
    }

    /// @notice A key's whole record; zeros, with the salt it would have, where there is none.
    function getKey(
        address wallet,
        uint256 index
    )
        external
        view
        returns (
            bytes32 commitment,
            bytes32 storedKey,
            bytes32 serverKey,
            uint64 createdAt,
            uint64 revokedAt,
            bytes32 salt,
            bool active
        )
    {
        Key storage key = _keys[wallet][index];
        commitment = key.commitment;
        storedKey = key.storedKey;
        serverKey = key.serverKey;
        createdAt = key.createdAt;
        revokedAt = key.revokedAt;
        salt = keySalt(wallet, index);
        active = _isActive(key);
    }

    /// @notice The index that the wallet's next key takes, and how many of its keys are active.
    function account(address wallet) external view returns (uint64 nextIndex, uint64 activeCount) {
        Account storage own = _accounts[wallet];
        return (own.nextIndex, own.activeCount);
    }

    /// @notice The lowest active index at or after `from`. Where none is found, `index` is where to go
    /// on: the wallet has none if that is its next index, else {MAX_SCAN} records have been looked at.
    function firstActiveIndex(address wallet, uint256 from) external view returns (bool found, uint256 index) {
        Account storage own = _accounts[wallet];
        uint256 end = own.nextIndex;
        if (from >= end || own.activeCount == 0) return (false, end);
        if (end - from > MAX_SCAN) end = from + MAX_SCAN;
        for (index = from; index < end; ++index) {
            if (_isActive(_keys[wallet][index])) return (true, index);
        }
        return (false, end);
    }

    /// @notice The SCRAM salt of a key: known before the key is registered, and for keys that never are.
    function keySalt(address wallet, uint256 index) public pure returns (bytes32) {
        return keccak256(abi.encodePacked(wallet, index));
    }

    // -------------------------------------------------------------------------------------- private

    function _register(
        address wallet,
        uint256 index,
        bytes32 commitment,
        bytes32 storedKey,
        bytes32 serverKey
    ) private {
        if (commitment == 0 || storedKey == 0 || serverKey == 0) revert EmptyValue();
        Account memory own = _accounts[wallet];
        if (index != own.nextIndex) revert BadIndex(index, own.nextIndex);
        if (own.activeCount >= MAX_ACTIVE) revert TooManyKeys(wallet);
        _accounts[wallet] = Account(own.nextIndex + 1, own.activeCount + 1);
        _keys[wallet][index] = Key(commitment, storedKey, serverKey, uint64(block.timestamp), 0);
        emit KeyRegistered(wallet, index, commitment, storedKey, serverKey);
    }

    function _revoke(address wallet, uint256 index) private {
        Key storage key = _keys[wallet][index];
        if (!_isActive(key)) revert NotActive(wallet, index);
        key.revokedAt = uint64(block.timestamp);
        --_accounts[wallet].activeCount;
        emit KeyRevoked(wallet, index, key.commitment);
    }

    function _rotate(
        address wallet,
        uint256 oldIndex,
        uint256 newIndex,
        bytes32 commitment,
        bytes32 storedKey,
        bytes32 serverKey
    ) private {
        _revoke(wallet, oldIndex);
        _register(wallet, newIndex, commitment, storedKey, serverKey);
        emit KeyRotated(wallet, oldIndex, newIndex);
    }

    /// @dev `request` holds the wallet itself: two contract wallets of one owner would otherwise take
    /// each other's signatures.
    function _requireSigned(address wallet, bytes memory request, bytes calldata signature) private view {
        bytes32 digest = _hashTypedDataV4(keccak256(request));
        if (!SignatureChecker.isValidSignatureNowCalldata(wallet, digest, signature)) {
            revert BadSignature(wallet);
        }
    }

    function _isActive(Key storage key) private view returns (bool) {
        return key.createdAt != 0 && key.revokedAt == 0;
    }
}
